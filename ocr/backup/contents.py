"""Which objects of a store belong together, while others write to it and remove from it."""

from collections.abc import Iterator
from dataclasses import dataclass

from ocr.dataset.row_list import NEWEST
from ocr.retention.things import kind_of, names_a_thing
from ocr.store.key import is_key
from ocr.store.protocol import Entry, Store


@dataclass(frozen=True)
class Contents:
    """What is copied, in this order; each is there before what it is found by.

    Attributes:
        things: Objects that others name.
        pointers: Objects without which nobody finds those.
        aliases: The aliases, and what names the newest rows, as they were before anything was
            listed.
        foreign: Names in the store that are no keys of it; no store could take them back.
    """

    things: tuple[Entry, ...]
    pointers: tuple[Entry, ...]
    aliases: tuple[tuple[str, bytes], ...]
    foreign: tuple[str, ...]

    @property
    def files(self) -> int:
        """How many."""
        return len(self.things) + len(self.pointers) + len(self.aliases)

    @property
    def size(self) -> int:
        """Bytes."""
        listed = sum(entry.size for entry in (*self.things, *self.pointers))
        return listed + sum(len(data) for _, data in self.aliases)


def choose_contents(store: Store) -> Contents:
    """List a store so that all that an alias names, and all that a pointer names, is in the list.

    A writer stores what is named before what names it. So the aliases are read first, and what
    they name is listed after them; and a pointer is taken only if the first of two listings has
    it, for a listing takes time, and may have passed where the named things came later.
    """
    aliases = tuple((key, store.read_bytes(key)) for key in _alias_keys(store))
    before = {entry.key for entry in store.entries("") if names_a_thing(entry.key)}
    things, pointers, foreign = list[Entry](), list[Entry](), list[str]()
    for entry in store.entries(""):
        if not is_key(entry.key):
            foreign.append(entry.key)
        elif names_a_thing(entry.key):
            pointers += [entry] * (entry.key in before)
        elif kind_of(entry.key) != "alias" and not _is_newest(entry.key):
            things.append(entry)
    return Contents(_sorted(things), _sorted(pointers), aliases, tuple(sorted(foreign)))


def _alias_keys(store: Store) -> Iterator[str]:
    for name in store.folders("models"):
        keys = store.list(f"models/{name}/aliases")
        yield from (key for key in keys if kind_of(key) == "alias")
    yield from filter(_is_newest, store.list("rows"))


def _is_newest(key: str) -> bool:
    return kind_of(key) == "rows" and key.endswith(f"/{NEWEST}")


def _sorted(entries: list[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda entry: entry.key))
