"""From labelled and rendered pages to a content-addressed snapshot in the store."""

from dataclasses import asdict
from functools import partial
from pathlib import Path

from ocr.dataset.inputs import RenderedSet, survey_inputs
from ocr.dataset.labels.text_rule import USUAL, CountingRule, TextRule
from ocr.dataset.pages.copies import CopyRule, cluster_pages, find_copies
from ocr.dataset.pages.inspection import RenderedPage, page_inspector
from ocr.dataset.pages.label import PageLabel
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.limits import PageLimits
from ocr.dataset.preparation import SNAPSHOT, SnapshotRef, Track, find_or_write, untracked
from ocr.dataset.process_pool import ProcessPool, open_pool
from ocr.dataset.selection import Selection, select_samples
from ocr.dataset.snapshot.held_out import drawn_share, fetch_held_out
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.dataset.snapshot.writer import write_snapshot
from ocr.dataset.split import SPLITS, SplitRule
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
    copies: CopyRule,
    texts: TextRule = USUAL,
    frozen_test: str = "",
    rendered: RenderedSet[RenderedPage] | None = None,
    work_folder: Path | None = None,
    track: Track = untracked,
) -> SnapshotRef:
    """Validate, split and store pages; nothing is decoded when they are in the store already.

    Args:
        store: Where the snapshot goes.
        name: Name of the dataset.
        labels: The labelled pages; None: rendered pages only.
        limits: What is accepted.
        split: How pages without a split of their own are divided.
        copies: When two pages are copies of one, which share a split.
        texts: How texts are written before they are looked at.
        frozen_test: Digest of the test split to keep as it is; empty: none.
        rendered: Pages to render.
        work_folder: Where temporary files go; they take twice the images' size.
        track: Sees the rows as images have been looked into.

    Raises:
        BadInput: When there is nothing to prepare.
        ArtifactNotFound: When the root or a label file is missing.
        BadData: When a label file cannot be read, a split is empty, or the frozen test split is
            unknown or not what comes of the labels.
        TooManyRejected: When more than `limits.max_bad_share` of the pages or regions is bad.
    """
    survey = survey_inputs(labels, rendered)
    frozen = fetch_held_out(store, name=name, digest=frozen_test) if frozen_test else None
    given = labels.given() if labels else ()
    counting = CountingRule(texts.form, texts.white_space)

    def write(folder: Path, pool: ProcessPool) -> SnapshotManifest:
        spool = Spool(folder)
        found = page_inspector(limits, texts=counting).inspect(survey, spool=spool, pool=pool)
        selection = select_samples(
            track(found, survey.rows),
            spool=spool,
            rule=split,
            given=given,
            frozen=frozen,
            filled=(labels.only,) if labels and labels.only else SPLITS,
            max_bad_share=limits.max_bad_share,
            cluster=partial(cluster_pages, rule=copies),
            find_alike=partial(find_copies, rule=copies),
        )
        return _write(folder, name, selection, spool, pool, texts)

    accepted = {k: v for k, v in asdict(limits).items() if k != "max_bad_share"}
    return find_or_write(
        store,
        name=name,
        stage="prepare-pages",
        inputs={
            "survey": survey.fingerprint,
            "frozen_test": frozen_test,
            "limits": accepted,
            "split": asdict(split),
            "copies": asdict(copies),
            "texts": asdict(texts),
        },
        max_bad_share=limits.max_bad_share,
        work_folder=work_folder,
        pool=open_pool(survey.rows, worth_a_pool=PAGES_WORTH_A_POOL),
        frozen=frozen,
        test_share=drawn_share(split, given, frozen),
        texts=counting,
        is_unchanged=survey.is_unchanged,
        write=write,
    )


def _write(
    folder: Path,
    name: str,
    selection: Selection[PageLabel],
    spool: Spool,
    pool: ProcessPool,
    texts: TextRule,
) -> SnapshotManifest:
    accepted = selection.accepted
    rows = list(accepted.candidates.rows(accepted.positions))
    regions = [region for row in rows for region in row.label.regions]
    charset = Charset.from_texts(region.text for region in regions if not region.ignored)
    labels = [row.label for row in rows if row.is_checked]  # what a model drew is nobody's fault
    return write_snapshot(
        folder / SNAPSHOT,
        name=name,
        task="detection",
        accepted=accepted,
        rejections=sorted([*selection.rejections, *(f for label in labels for f in label.faults)]),
        charset_of=lambda _: charset,
        spool=spool,
        pool=pool,
        texts=texts,
        counts={
            "regions": sum(label.written for label in labels),
            "ignored_regions": sum(each.ignored for label in labels for each in label.regions),
        },
    )
