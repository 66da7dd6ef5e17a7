"""From labelled and rendered lines to a content-addressed snapshot in the store."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path

from ocr.dataset.duplicates import cluster_candidates
from ocr.dataset.inputs import RenderedSet, survey_inputs
from ocr.dataset.limits import Limits
from ocr.dataset.lines.inspection import LineInspector, RenderedLine
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.preparation import (
    SNAPSHOT,
    SnapshotRef,
    describe_versions,
    find_or_write,
    inspect_inputs,
)
from ocr.dataset.process_pool import ProcessPool, open_pool
from ocr.dataset.selection import select_samples
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.dataset.snapshot.writer import write_snapshot
from ocr.dataset.split import SplitRule
from ocr.dataset.spool import Spool
from ocr.models.charset import Charset
from ocr.store import Store

_ROWS_WORTH_A_POOL = 2000


def prepare_lines(
    store: Store,
    *,
    name: str,
    labels: LineLabelFiles | None,
    limits: Limits,
    split: SplitRule,
    charset: Charset | None = None,
    rendered: RenderedSet[RenderedLine] | None = None,
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
    survey = survey_inputs(labels, rendered)

    def write(folder: Path, pool: ProcessPool) -> SnapshotManifest:
        spool = Spool(folder)
        inspector = LineInspector(limits=limits, charset=charset, spool=spool, pool=pool)
        selection = select_samples(
            inspect_inputs(inspector, survey, on_progress=on_progress),
            rule=split,
            given=labels.given() if labels else (),
            max_bad_share=limits.max_bad_share,
            cluster=partial(cluster_candidates, bits=split.near_duplicate_bits),
        )
        return write_snapshot(
            folder / SNAPSHOT,
            name=name,
            accepted=selection.accepted,
            rejections=selection.rejections,
            charset=charset or Charset.from_texts(selection.texts),
            spool=spool,
            pool=pool,
        )

    parameters = _describe(limits=limits, split=split, charset=charset)
    return find_or_write(
        store,
        name=name,
        inputs=(parameters, survey.fingerprint),
        max_bad_share=limits.max_bad_share,
        work_folder=work_folder,
        pool=open_pool(survey.rows, worth_a_pool=_ROWS_WORTH_A_POOL),
        write=write,
    )


def _describe(*, limits: Limits, split: SplitRule, charset: Charset | None) -> str:
    """All that decides a snapshot besides the data."""
    accepted = {k: v for k, v in asdict(limits).items() if k != "max_bad_share"}
    characters = None if charset is None else charset.characters
    return repr((describe_versions(), accepted, asdict(split), characters))
