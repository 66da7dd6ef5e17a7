"""Removes a thing: first what it is found by, then the rest."""

from ocr.retention.things import Thing
from ocr.store.folder import USED
from ocr.store.protocol import Store


def remove_thing(store: Store, thing: Thing, *, before: float) -> bool:
    """Remove a thing unless somebody marked it as used since then (epoch, s); say whether it went.

    Killed anywhere, what is left is half an upload, which nobody finds but the next plan. A run
    that finds it, or makes the same again, marks it before it looks at what is there, and that ends
    the removal: the mark is looked for before every object that goes.
    """
    for entry in thing.entries:
        if entry.key != thing.prefix and _is_used(store, thing, before=before):
            return False
        store.remove(entry.key)
    return True


def _is_used(store: Store, thing: Thing, *, before: float) -> bool:
    return any(mark.modified >= before for mark in store.entries(f"{USED}/{thing.prefix}"))
