"""Which labelled rows a snapshot was made of, and how many there are now that it was not.

A row is its image's path and its label as written: a corrected label is a new row. The list stands
beside the snapshots, under `rows/<name>/<digest>.u64`: eight bytes a row, in their order, so that a
million rows are compared in a moment without an image or a label being opened again.
"""

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.candidate import Row
from ocr.dataset.quarantine import Rejection
from ocr.errors import AliasMoved, ArtifactExists, ArtifactNotFound
from ocr.store import Store

RowList = NDArray[np.uint64]
"""(N,) ascending: 64 bits of the digest of each row."""
NOTHING: RowList = np.empty(0, np.uint64)
NEWEST: Final = "newest.json"
"""Names the list that was kept last, beside it."""
_BYTES = 8
_MOST_BYTES = 2**30  # 134 million rows


def list_rows(rows: Iterable[Row[Any] | Rejection]) -> RowList:
    """List rows as they are read; those that cannot be read, or that nobody checked, are none."""
    digests = bytearray()
    for row in rows:
        if not isinstance(row, Rejection) and row.is_checked:
            content = f"{row.image}\0{row.label!r}".encode("utf-8", "surrogatepass")
            digests += hashlib.blake2b(content, digest_size=_BYTES).digest()
    return np.unique(np.frombuffer(bytes(digests), np.uint64))


def left_new(rows: RowList, *known: RowList) -> RowList:
    """Return the rows that are in none of the lists."""
    for each in known:
        rows = rows[~np.isin(rows, each, assume_unique=True)]
    return rows


def digest_of(rows: RowList) -> str:
    """Return the SHA-256 of a list."""
    return hashlib.sha256(rows.tobytes()).hexdigest()


def keep_rows(store: Store, rows: RowList, *, name: str, snapshot: str) -> None:
    """Keep the rows that a snapshot was made of, which is now the newest of its name.

    Args:
        store: Where they go.
        rows: As `list_rows` gives them.
        name: Name of the dataset.
        snapshot: Digest of the snapshot; the same one can come of other rows, as of labels that
            were saved again with other spaces, and all count.
    """
    try:
        store.put_bytes(_key(name, snapshot), rows.tobytes())
    except ArtifactExists:
        store.put_bytes(_key(name, f"{snapshot}/{digest_of(rows)}"), rows.tobytes())
    _point_at(store, f"rows/{name}/{NEWEST}", snapshot)


def read_rows_of(store: Store, *, name: str, snapshot: str) -> RowList | None:
    """Read the rows that a snapshot was made of, at any time; None: nobody kept them."""
    try:
        found = [_read(store, _key(name, snapshot))]
    except ArtifactNotFound:
        return None
    found += [_read(store, key) for key in store.list(f"rows/{name}/{snapshot}")]
    return np.unique(np.concatenate(found)) if len(found) > 1 else found[0]


def newest_snapshot(store: Store, *, name: str) -> str:
    """Return the digest of the snapshot that was prepared last; empty: there is none."""
    try:
        return str(json.loads(store.read_bytes(f"rows/{name}/{NEWEST}"))["digest"])
    except ArtifactNotFound:
        return ""


def _read(store: Store, key: str) -> RowList:
    return np.frombuffer(store.read_bytes(key, most=_MOST_BYTES), np.uint64)


def _point_at(store: Store, key: str, digest: str) -> None:
    """Let an object name a digest; who is faster at the same moment is as right."""
    try:
        _, tag = store.read_tagged(key)
    except ArtifactNotFound:
        tag = None
    with suppress(AliasMoved):
        store.compare_and_swap(key, json.dumps({"digest": digest}).encode(), expected=tag)


def _key(name: str, snapshot: str) -> str:
    return f"rows/{name}/{snapshot}.u64"
