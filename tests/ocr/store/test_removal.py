"""Objects seen from outside, and removed."""

import time

from ocr.store import Store
from ocr.store.folder import mark_used

KEY = "datasets/plates/0/manifest.json"


def test_entries_tell_sizes_and_times(store: Store) -> None:
    before = time.time()
    store.put_bytes(KEY, b"12345")

    (entry,) = store.entries("datasets")

    assert (entry.key, entry.size) == (KEY, 5)
    assert before - 5 < entry.modified < time.time() + 5
    assert list(store.entries("models")) == []


def test_removed_object_is_gone_and_its_key_is_free(store: Store) -> None:
    store.put_bytes(KEY, b"one")
    store.put_bytes("models/a/b.json", b"other")

    store.remove(KEY)
    store.remove(KEY)

    assert list(store.list("")) == ["models/a/b.json"]
    assert list(store.folders("")) == ["models"]
    store.put_bytes(KEY, b"two")
    assert store.read_bytes(KEY) == b"two"


def test_nothing_is_removed_from_a_store_that_is_not_there(store: Store) -> None:
    store.remove(KEY)

    assert list(store.list("")) == []


def test_use_is_marked_once_a_day(store: Store) -> None:
    mark_used(store, prefix="datasets/plates/0")
    mark_used(store, prefix="datasets/plates/0")

    assert 1 <= len(list(store.list("used/datasets/plates/0"))) <= 2  # at midnight
