"""What lies in a store, of one listing: each thing with its objects and its last use."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from ocr.models.key import NAME
from ocr.store.folder import MANIFEST, POINTER, USED
from ocr.store.key import is_key
from ocr.store.protocol import Entry, Store

Kind = Literal[
    "snapshot",
    "refused set",
    "test split",
    "input index",
    "checkpoint",
    "version",
    "alias",
    "evaluation",
    "batch",
    "shard of a batch",
    "decision",
    "answer",
    "report",
    "earlier report",
    "rows",
    "smoke",
    "record of a prune",
    "mark of use",
    "state",
    "unknown",
]

_NAMED: Final = NAME.pattern.removeprefix("^").removesuffix(r"\Z")
"""What the registry finds; what somebody copied beside it (`plates copy`) is none of its."""
_KEYS: Final[dict[Kind, re.Pattern[str]]] = {
    "snapshot": re.compile(r"datasets/[^/]+/[0-9a-f]{64}(?=/)"),
    "refused set": re.compile(r"datasets/[^/]+/refused/[^/]+(?=/)"),
    "test split": re.compile(r"datasets/[^/]+/tests/.+"),
    "input index": re.compile(r"datasets/[^/]+/inputs/.+"),
    "checkpoint": re.compile(r"checkpoints/[^/]+(?=/)"),
    "alias": re.compile(rf"models/{_NAMED}/aliases/{_NAMED}\.json$"),
    "version": re.compile(rf"models/{_NAMED}/(?!aliases/){_NAMED}(?=/)"),
    "evaluation": re.compile(r"evaluations/[^/]+(?=/)"),
    "batch": re.compile(r"batches/[^/]+/[0-9a-f]{64}(?=/)"),
    "shard of a batch": re.compile(r"batches/[^/]+/shards/[^/]+(?=/)"),
    "decision": re.compile(r"decisions/.+"),
    "answer": re.compile(r"reports/[^/]+/(approval|time-out)-.+"),
    "report": re.compile(r"reports/[^/]+/.+"),
    "earlier report": re.compile(r"reports/[^/]+$"),
    "rows": re.compile(r"rows/.+"),
    "smoke": re.compile(r"smokes/.+"),
    "record of a prune": re.compile(r"prunes/.+"),
    "mark of use": re.compile(rf"{USED}/.+"),
    "state": re.compile(r"state/.+"),
    "unknown": re.compile(r".+"),
}
"""Every key is of the first that it fits; the part that fits is the thing's prefix."""

_LAST: Final[dict[Kind, str]] = {
    "snapshot": MANIFEST,
    "checkpoint": POINTER,
    "version": POINTER,
    "evaluation": "report.json",
    "batch": POINTER,
    "shard of a batch": POINTER,
}
"""What is written last: without it nobody finds the rest."""


@dataclass(frozen=True)
class Thing:
    """Objects that stay or go together.

    Attributes:
        kind: What it is.
        prefix: The folder that they are in, or the key of the only one.
        entries: All of them; without the first one, nobody finds the others.
        used: When it was last written or in use (epoch, s).
        is_whole: Whether it was written to its end.
    """

    kind: Kind
    prefix: str
    entries: tuple[Entry, ...]
    used: float
    is_whole: bool

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(entry.size for entry in self.entries)


def kind_of(key: str) -> Kind:
    """Say what an object is, or is a part of."""
    return _sort(key)[0]


def prefix_of(key: str) -> str:
    """Return the prefix of the thing that an object is a part of."""
    return _sort(key)[1]


def names_a_thing(key: str) -> bool:
    """Say whether an object was written last, so that the rest of its thing is found by it."""
    kind, prefix = _sort(key)
    return kind in _LAST and key == f"{prefix}/{_LAST[kind]}"


def find_things(store: Store) -> Iterator[Thing]:
    """Yield all that lies in a store, of one listing."""
    groups: dict[tuple[Kind, str], list[Entry]] = defaultdict(list)
    for entry in store.entries(""):
        groups[_sort(entry.key)].append(entry)
    marks = _read_marks(
        entry for (kind, _), group in groups.items() for entry in group if kind == "mark of use"
    )
    for (kind, prefix), entries in groups.items():
        last = f"{prefix}/{_LAST[kind]}" if kind in _LAST else ""
        yield Thing(
            kind,
            prefix,
            tuple(sorted(entries, key=lambda entry: (entry.key != last, entry.key))),
            used=max(marks.get(prefix, 0.0), *(entry.modified for entry in entries)),
            is_whole=not last or any(entry.key == last for entry in entries),
        )


def _sort(key: str) -> tuple[Kind, str]:
    if not is_key(key):  # not ours, wherever it lies
        return "unknown", key
    found = ((kind, pattern.match(key)) for kind, pattern in _KEYS.items())
    return next((kind, match[0]) for kind, match in found if match)


def _read_marks(entries: Iterable[Entry]) -> dict[str, float]:
    """Return when each prefix that has a mark was last in use (epoch, s)."""
    marks: dict[str, float] = defaultdict(float)
    for entry in entries:
        prefix = entry.key.removeprefix(f"{USED}/").rpartition("/")[0]
        marks[prefix] = max(marks[prefix], entry.modified)
    return marks
