"""Labelled or rendered pages to a snapshot in the store, and their lines, cut out, to another."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from prefect import task

from configs.dataset import PageDatasetParams, TextParams
from configs.further import FurtherPagesParams
from ocr.dataset.inputs import RenderedSet
from ocr.dataset.labels.split_files import LabelShare
from ocr.dataset.labels.text_rule import TextRule
from ocr.dataset.pages import preparation
from ocr.dataset.pages.copies import CopyRule
from ocr.dataset.pages.crops import prepare_crops
from ocr.dataset.pages.inspection import RenderedPage
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.limits import PageLimits
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.row_list import keep_rows, list_rows
from ocr.dataset.split import UNDIVIDED, SplitRule
from ocr.errors import BadData
from ocr.store.digest import stage_key
from ocr.synthesis.fonts import font_fingerprint
from ocr.synthesis.pages.render import open_pages
from tasks.preparation import (
    prepare_aloud,
    prepare_further,
    say_test_split,
    show_charset,
    show_rescans,
)
from tasks.run.progress import track_rows
from tasks.run.retries import may_help
from tasks.workspace import dataset_root, open_workspace


@task(name="prepare-pages", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def prepare_pages(params: PageDatasetParams) -> SnapshotRef:
    """Write the snapshot of the pages, or find the one that the same inputs gave before."""
    workspace, labels = open_workspace(), page_labels(params)
    rows = list_rows(labels.read()) if labels else None
    snapshot = prepare_aloud(
        lambda folder: preparation.prepare_pages(
            workspace.store,
            name=params.name,
            labels=labels,
            limits=PageLimits(**params.limits.model_dump()),
            split=SplitRule(
                val_share=params.split.val_share,
                test_share=params.split.test_share,
                seed=params.seed,
            ),
            copies=CopyRule(
                bit_share=params.split.copy_bit_share, word_share=params.split.copy_word_share
            ),
            texts=TextRule(**params.texts.model_dump()),
            frozen_test=params.split.frozen_test,
            rendered=render_pages(params) if params.synthesis.count else None,
            work_folder=folder,
            track=track_rows,
        ),
        workspace=workspace,
        name=params.name,
        of="pages",
    )
    if rows is not None:
        keep_rows(workspace.store, rows, name=params.name, snapshot=snapshot.digest)
    say_test_split(snapshot)
    show_rescans(workspace.open_pages(snapshot.key))
    return snapshot


@task(
    name="prepare-further-pages",
    retries=2,
    retry_delay_seconds=[2, 10],
    retry_condition_fn=may_help,
)
def prepare_further_pages(
    sets: Sequence[FurtherPagesParams], texts: TextParams
) -> dict[str, SnapshotRef]:
    """Write the snapshots of further test sets, or find them; by the names of the sets."""
    workspace = open_workspace()

    def prepare(each: FurtherPagesParams, folder: Path) -> SnapshotRef:
        snapshot = preparation.prepare_pages(
            workspace.store,
            name=each.name,
            labels=_further_labels(each),
            limits=PageLimits(**each.limits.model_dump()),
            split=UNDIVIDED,
            copies=CopyRule(bit_share=0, word_share=1),
            texts=TextRule(**texts.model_dump()),
            work_folder=folder,
            track=track_rows,
        )
        _refuse_silent(workspace.open_pages(snapshot.key))
        return snapshot

    return prepare_further(sets, prepare, workspace=workspace, of="pages")


@task(name="crop-pages", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def crop_pages(pages: SnapshotRef, params: PageDatasetParams, recogniser: str) -> SnapshotRef:
    """Cut the lines out of the pages into a snapshot of their own, or find the one there is."""
    workspace = open_workspace()
    crops = prepare_aloud(
        lambda folder: prepare_crops(
            workspace.store,
            pages_key=pages.key,
            name=f"{params.name}-lines",
            limits=PageLimits(**params.limits.model_dump()),
            texts=TextRule(**params.texts.model_dump()),
            work_folder=folder,
            track=track_rows,
        ),
        workspace=workspace,
        name=f"{params.name}-lines",
        of="lines",
    )
    show_charset(workspace, crops, recogniser)
    return crops


def _refuse_silent(pages: PageSnapshot) -> None:
    """Refuse test pages that ask for no reading: of nothing, every share read is 0."""
    regions = chain.from_iterable(page.regions for page in pages.samples("test"))
    if not any(region.text and not region.ignored for region in regions):
        raise BadData(
            f"none of its {pages.manifest.counts['test']} pages has a line to read, which leaves "
            "nothing to measure; label one, or leave the set out"
        )


def page_labels(params: PageDatasetParams) -> PageLabelFiles | None:
    """Return where the labels of a dataset are; None: it is rendered."""
    if params.source == "synthetic":
        return None
    return PageLabelFiles(
        kind=params.source,
        root=dataset_root(params.root),
        train=params.train_labels,
        val=params.val_labels,
        test=params.test_labels,
        encoding=params.encoding,
        group_pattern=params.group_pattern,
        more=tuple(
            LabelShare(each.labels, each.split, each.ratio, checked=each.checked)
            for each in params.more_labels
        ),
        seed=params.seed,
        group_field=params.group_field,
    )


def _further_labels(params: FurtherPagesParams) -> PageLabelFiles:
    return PageLabelFiles(
        kind=params.source,
        root=dataset_root(params.root),
        test=params.labels,
        encoding=params.encoding,
        group_pattern=params.group_pattern,
        only="test",
        group_field=params.group_field,
    )


def render_pages(params: PageDatasetParams) -> RenderedSet[RenderedPage]:
    """The pages to render, and the digest of all that decides them."""
    synthesis = params.synthesis
    fonts = [Path(folder) for folder in synthesis.font_folders]
    pages = open_pages(
        kinds=synthesis.kinds,
        font_folders=fonts,
        strength=synthesis.strength,
        seed=params.seed,
    )
    return RenderedSet(
        items=(pages.page(number) for number in range(synthesis.count)),
        count=synthesis.count,
        fingerprint=stage_key(
            "render-pages",
            synthesis=synthesis.model_dump(exclude={"font_folders"}),
            seed=params.seed,
            fonts=font_fingerprint(fonts),
        ),
    )
