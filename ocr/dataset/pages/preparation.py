"""From labelled and rendered pages to a content-addressed snapshot in the store."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from ocr.dataset.candidate import Candidate
from ocr.dataset.inputs import RenderedSet, survey_inputs
from ocr.dataset.pages.inspection import PageInspector, RenderedPage
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.limits import PageLimits
from ocr.dataset.pages.page_hash import COPY_SHARE, cluster_copies
from ocr.dataset.pages.region_check import CheckedPage
from ocr.dataset.pages.row import regions_to_json
from ocr.dataset.preparation import (
    SNAPSHOT,
    SnapshotRef,
    describe_versions,
    find_or_write,
    inspect_inputs,
)
from ocr.dataset.process_pool import ProcessPool, open_pool
from ocr.dataset.selection import Selection, select_samples
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.dataset.snapshot.writer import write_snapshot
from ocr.dataset.split import Split, SplitRule
from ocr.dataset.spool import Spool
from ocr.models.charset import Charset
from ocr.store import Store

PAGES_WORTH_A_POOL = 32


def prepare_pages(
    store: Store,
    *,
    name: str,
    labels: PageLabelFiles | None,
    limits: PageLimits,
    split: SplitRule,
    rendered: RenderedSet[RenderedPage] | None = None,
    work_folder: Path | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> SnapshotRef:
    """Validate, split and store pages; nothing is decoded when they are in the store already.

    Args:
        store: Where the snapshot goes.
        name: Of the dataset.
        labels: The labelled pages; None: rendered pages only.
        limits: What is accepted.
        split: How pages without a split of their own are divided; copies of a page are told by
            `page_hash`, not by its bits.
        rendered: Pages to render.
        work_folder: Where temporary files go; they take twice the images' size.
        on_progress: Called with the pages done and their total.

    Raises:
        BadInput: When there is nothing to prepare.
        ArtifactNotFound: When the root or a label file is missing.
        BadData: When a label file cannot be read or a split is empty.
        TooManyRejected: When more than `limits.max_bad_share` of the pages or regions is bad.
    """
    survey = survey_inputs(labels, rendered)

    def write(folder: Path, pool: ProcessPool) -> SnapshotManifest:
        inspector = PageInspector(limits=limits, spool=Spool(folder), pool=pool)
        selection = select_samples(
            inspect_inputs(inspector, survey, on_progress=on_progress),
            rule=split,
            given=labels.given() if labels else (),
            max_bad_share=limits.max_bad_share,
            cluster=lambda found: cluster_copies([each.encoded.hash for each in found]),
        )
        return _write(folder, name, selection, inspector)

    parameters = repr((describe_versions(), asdict(limits), asdict(split), COPY_SHARE))
    return find_or_write(
        store,
        name=name,
        inputs=("pages", parameters, survey.fingerprint),
        max_bad_share=limits.max_bad_share,
        work_folder=work_folder,
        pool=open_pool(survey.rows, worth_a_pool=PAGES_WORTH_A_POOL),
        write=write,
    )


def _write(
    folder: Path, name: str, selection: Selection, inspector: PageInspector
) -> SnapshotManifest:
    pages = [inspector.checked[candidate.row.where] for candidate, _ in selection.accepted]
    regions = [region for page in pages for region in page.row.regions]
    faults = [fault for page in pages for fault in page.rejections]
    return write_snapshot(
        folder / SNAPSHOT,
        name=name,
        accepted=[_with_regions(*pair) for pair in zip(selection.accepted, pages, strict=True)],
        rejections=sorted([*selection.rejections, *faults]),
        charset=Charset.from_texts(region.text for region in regions if not region.ignored),
        spool=inspector.spool,
        pool=inspector.pool,
        task="detection",
        counts={
            "regions": sum(page.labelled for page in pages),
            "ignored_regions": sum(region.ignored for region in regions),
        },
    )


def _with_regions(accepted: tuple[Candidate, Split], page: CheckedPage) -> tuple[Candidate, Split]:
    (row, encoded), split = accepted
    return Candidate(row._replace(text=regions_to_json(page.row.regions)), encoded), split
