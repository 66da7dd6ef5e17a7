"""A snapshot is found by the digest of its inputs, or written and stored."""

import gc
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ocr.dataset.labels.text_rule import CountingRule
from ocr.dataset.process_pool import ProcessPool
from ocr.dataset.quarantine import ReasonCount, TooManyRejected, check_shares
from ocr.dataset.snapshot.held_out import (
    HeldOut,
    read_held_out,
    refuse_changes,
    store_held_out,
)
from ocr.dataset.snapshot.lookalikes import Lookalike, Replacement, list_replaced
from ocr.dataset.snapshot.manifest import FORMAT, SnapshotManifest
from ocr.dataset.snapshot.quarantine_list import QUARANTINE, keep_refused, write_quarantine
from ocr.dataset.snapshot.snapshot import MANIFEST, SAMPLES
from ocr.errors import ArtifactExists, ArtifactNotFound
from ocr.store import Store
from ocr.store.digest import stage_key
from ocr.store.folder import mark_used, upload_folder
from ocr.store.stages import StageName

SNAPSHOT = "snapshot"
_USUAL = gc.get_threshold()
_RARE = 50_000

RowT = TypeVar("RowT")


class Track(Protocol):
    """Hands rows on as they come, and may show how many of so many have come."""

    def __call__(self, rows: Iterable[RowT], count: int, /) -> Iterable[RowT]:
        """Return the rows."""


def untracked(rows: Iterable[RowT], _: int, /) -> Iterable[RowT]:
    """Return the rows and show nothing."""
    return rows


@dataclass(frozen=True)
class SnapshotRef:
    """A snapshot in the store.

    Attributes:
        key: Prefix of its files, `datasets/<name>/<digest>`.
        digest: SHA-256 of its content.
        cached: Whether it was there already and nothing was decoded.
        counts: rows, accepted, quarantined, train, val and test.
        quarantine: The table of reasons, the most frequent first.
        lookalikes: Characters of lines that a person cannot tell apart.
        replaced: Characters of these inputs' labels that the rule of the texts wrote as others.
        test_digest: Names its test split, for `split.frozen_test`.
    """

    key: str
    digest: str
    cached: bool
    counts: Mapping[str, int]
    quarantine: tuple[ReasonCount, ...]
    lookalikes: tuple[Lookalike, ...]
    replaced: tuple[Replacement, ...]
    test_digest: str


def find_or_write(
    store: Store,
    *,
    name: str,
    stage: StageName,
    inputs: Mapping[str, Any],
    max_bad_share: float,
    work_folder: Path | None,
    pool: ProcessPool,
    frozen: HeldOut | None = None,
    test_share: float = 0.0,
    texts: CountingRule | None = None,
    is_unchanged: Callable[[], bool] | None = None,
    write: Callable[[Path, ProcessPool], SnapshotManifest],
) -> SnapshotRef:
    """Find the snapshot that the same inputs gave before, or write and store it.

    Args:
        store: Where the snapshot is or goes.
        name: Name of the dataset.
        stage: Who prepares it.
        inputs: All that decides the snapshot besides the stage: digests and parameters.
        max_bad_share: Share of rejected rows above which it is refused, stored or not.
        work_folder: Where temporary files go.
        pool: Processes to write with; they are ended afterwards.
        frozen: What its test split must be; None: whatever it is.
        test_share: Of the samples that are drawn for it, see `HeldOut`.
        texts: Counts what it replaces while `write` writes; None: texts were written before.
        is_unchanged: Whether what was written is of the inputs as they were seen; if not, it is
            stored, and not found by them. None: they cannot change.
        write: Writes it to the subfolder SNAPSHOT of a folder, which may hold other files.

    Raises:
        TooManyRejected: More than that share was rejected; the message says where the store
            holds the list of them all.
        BadData: Its test split is not the frozen one; what it is now is stored beside it.
    """
    index = f"datasets/{name}/inputs/{stage_key(stage, format=FORMAT, **inputs)}.json"
    stored = _find_stored(store, name=name, index=index)
    with tempfile.TemporaryDirectory(dir=work_folder, prefix="prepare-") as temporary:
        folder = Path(temporary)
        try:
            if stored is None:
                with pool, _collecting_rarely():
                    manifest = write(folder, pool)
                made = _refer(manifest, list_replaced(texts) if texts else (), cached=False)
            else:
                made = stored
            check_shares(made.quarantine, made.counts, max_bad_share=max_bad_share)
        except TooManyRejected as error:
            table = _list_rejected(store, error, stored, folder)
            addresses = "\n".join(keep_refused(store, table, name=name))
            raise TooManyRejected(f"{error}\nall of them:\n{addresses}", error.reasons) from None
        if stored is None:
            samples = folder / SNAPSHOT / SAMPLES
            store_held_out(
                store, samples, name=name, digest=made.test_digest, test_share=test_share
            )
            if frozen is not None and frozen.digest != made.test_digest:
                refuse_changes(frozen, read_held_out(samples))
            if is_unchanged is not None and not is_unchanged():
                index = ""
            made = _store(store, folder / SNAPSHOT, made, name=name, index=index)
    return made


def snapshot_key(name: str, digest: str) -> str:
    """Key prefix of a snapshot in the store."""
    return f"datasets/{name}/{digest}"


def _find_stored(store: Store, *, name: str, index: str) -> SnapshotRef | None:
    try:
        content = json.loads(store.read_bytes(index))
        prefix = snapshot_key(name, content["digest"])
        mark_used(store, prefix=prefix)
        manifest = SnapshotManifest.from_bytes(store.read_bytes(f"{prefix}/{MANIFEST}"))
    except ArtifactNotFound:
        return None
    replaced = (Replacement(**each) for each in content.get("replaced", ()))  # older ones say none
    return _refer(manifest, tuple(replaced), cached=True)


def _list_rejected(
    store: Store, error: TooManyRejected, stored: SnapshotRef | None, folder: Path
) -> Path:
    """The table of the rows that a set was refused for, wherever they are known from."""
    if stored is None and not error.rejections:  # refused after it was written
        return folder / SNAPSHOT / QUARANTINE
    table = folder / QUARANTINE
    if stored is None:
        write_quarantine(table, error.rejections)
    else:
        store.get_file(f"{stored.key}/{QUARANTINE}", table)
    return table


@contextmanager
def _collecting_rarely() -> Iterator[None]:
    """Let the garbage collector run every 50,000 new objects instead of every few hundred.

    Millions of rows are made, kept and walked over again and again, without a cycle among them:
    a tenth of a preparation's time.
    """
    gc.set_threshold(_RARE, *_USUAL[1:])
    try:
        yield
    finally:
        gc.set_threshold(*_USUAL)


def _store(store: Store, folder: Path, made: SnapshotRef, *, name: str, index: str) -> SnapshotRef:
    """Store a snapshot and, but for an empty key, what finds it.

    Returns what another machine made of the same inputs first, if it did.
    """
    mark_used(store, prefix=made.key)
    if not store.exists(f"{made.key}/{MANIFEST}"):
        upload_folder(store, folder, prefix=made.key, last=MANIFEST)
    if not index:
        return made
    replaced = [asdict(each) for each in made.replaced]
    try:
        store.put_bytes(index, json.dumps({"digest": made.digest, "replaced": replaced}).encode())
    except ArtifactExists:
        return _find_stored(store, name=name, index=index) or made
    return made


def _refer(
    manifest: SnapshotManifest, replaced: tuple[Replacement, ...], *, cached: bool
) -> SnapshotRef:
    return SnapshotRef(
        key=snapshot_key(manifest.name, manifest.digest),
        digest=manifest.digest,
        cached=cached,
        counts=manifest.counts,
        quarantine=manifest.quarantine,
        lookalikes=manifest.lookalikes,
        replaced=replaced,
        test_digest=manifest.test_digest,
    )
