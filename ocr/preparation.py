"""From labels and images to a content-addressed dataset snapshot in the store."""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
import pyarrow as pa

from ocr.candidate import Candidate
from ocr.charset import Charset
from ocr.errors import ArtifactNotFound
from ocr.inputs import Inputs, RenderedSet
from ocr.inspection import Inspector
from ocr.labels import LabelFiles
from ocr.quarantine import ReasonCount, Rejection, check_bad_share
from ocr.selection import select_samples
from ocr.snapshot import MANIFEST
from ocr.snapshot_manifest import FORMAT, SnapshotManifest
from ocr.snapshot_writer import write_snapshot
from ocr.split import SplitRule
from ocr.spool import Spool
from ocr.store import Store
from ocr.store.folder import upload_folder
from ocr.validation import Limits

_PROGRESS_EVERY = 500
_ROWS_WORTH_A_POOL = 2000
_MAX_PROCESSES = 4


@dataclass(frozen=True)
class SnapshotRef:
    """A snapshot in the store.

    Attributes:
        key: Its prefix, `datasets/<name>/<digest>`.
        digest: Its content's.
        cached: Whether it was there already and nothing was decoded.
        counts: rows, accepted, quarantined, train, val and test.
        quarantine: The table of reasons, the most frequent first.
    """

    key: str
    digest: str
    cached: bool
    counts: Mapping[str, int]
    quarantine: tuple[ReasonCount, ...]


def prepare_snapshot(
    store: Store,
    *,
    name: str,
    labels: LabelFiles | None,
    limits: Limits,
    split: SplitRule,
    charset: Charset | None = None,
    rendered: RenderedSet | None = None,
    work_folder: Path | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> SnapshotRef:
    """Validate, split and store a dataset; nothing is decoded when it is in the store already.

    Args:
        store: Where the snapshot goes.
        name: Of the dataset.
        labels: The labelled images; None: rendered lines only.
        limits: What is accepted.
        split: How rows without a split of their own are divided.
        charset: The only characters allowed; None: those of the texts.
        rendered: Lines to render.
        work_folder: Where temporary files go; they take twice the images' size.
        on_progress: Called with the rows done and their total.

    Raises:
        BadInput: When there is nothing to prepare.
        ArtifactNotFound: When the root or a label file is missing.
        BadData: When a label file cannot be read or a split is empty.
        TooManyRejected: When more than `limits.max_bad_share` of the rows is bad.
    """
    inputs = Inputs(labels, rendered)
    survey = inputs.survey()
    parameters = _describe(limits=limits, split=split, charset=charset)
    index = f"datasets/{name}/inputs/{_digest(parameters, survey.fingerprint)}.json"
    stored = _find_stored(store, name=name, index=index)
    if stored is not None:
        rows = stored.counts["rows"]
        check_bad_share(stored.quarantine, rows=rows, max_bad_share=limits.max_bad_share)
        return _refer(stored, cached=True)
    with tempfile.TemporaryDirectory(dir=work_folder, prefix="prepare-") as folder:
        spool = Spool(Path(folder))
        inspector = Inspector(
            limits=limits, charset=charset, spool=spool, processes=_processes(survey.rows)
        )
        found = _report(inputs.inspect(inspector), total=survey.rows, on_progress=on_progress)
        selection = select_samples(
            found, rule=split, given=inputs.given, max_bad_share=limits.max_bad_share
        )
        written = write_snapshot(
            Path(folder) / "snapshot",
            name=name,
            accepted=selection.accepted,
            rejections=selection.rejections,
            charset=charset or Charset.from_texts(selection.texts),
            spool=spool,
        )
        _store(store, Path(folder) / "snapshot", written)
    store.put_bytes(index, json.dumps({"digest": written.digest}).encode())
    return _refer(written, cached=False)


def snapshot_key(name: str, digest: str) -> str:
    """Key prefix of a snapshot in the store."""
    return f"datasets/{name}/{digest}"


def _processes(rows: int) -> int:
    if rows < _ROWS_WORTH_A_POOL:
        return 1
    return min(_MAX_PROCESSES, len(os.sched_getaffinity(0)))


def _describe(*, limits: Limits, split: SplitRule, charset: Charset | None) -> str:
    """All that decides a snapshot besides the data, our format and the libraries' included."""
    accepted = {k: v for k, v in asdict(limits).items() if k != "max_bad_share"}
    versions = [FORMAT, cv2.__version__, np.__version__, pa.__version__]
    characters = None if charset is None else charset.characters
    return repr((versions, accepted, asdict(split), characters))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _find_stored(store: Store, *, name: str, index: str) -> SnapshotManifest | None:
    try:
        digest = json.loads(store.read_bytes(index))["digest"]
        manifest = store.read_bytes(f"{snapshot_key(name, digest)}/{MANIFEST}")
    except ArtifactNotFound:
        return None
    return SnapshotManifest.from_bytes(manifest)


def _report(
    found: Iterable[Candidate | Rejection], *, total: int, on_progress: Callable[[int, int], None]
) -> Iterator[Candidate | Rejection]:
    for done, each in enumerate(found, start=1):
        yield each
        if done % _PROGRESS_EVERY == 0 or done == total:
            on_progress(done, total)


def _store(store: Store, folder: Path, manifest: SnapshotManifest) -> None:
    prefix = snapshot_key(manifest.name, manifest.digest)
    if not store.exists(f"{prefix}/{MANIFEST}"):
        upload_folder(store, folder, prefix=prefix, last=MANIFEST)


def _refer(manifest: SnapshotManifest, *, cached: bool) -> SnapshotRef:
    return SnapshotRef(
        key=snapshot_key(manifest.name, manifest.digest),
        digest=manifest.digest,
        cached=cached,
        counts=manifest.counts,
        quarantine=manifest.quarantine,
    )
