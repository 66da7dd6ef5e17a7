"""From labelled and rendered lines to a content-addressed snapshot in the store."""

from dataclasses import asdict
from functools import partial
from pathlib import Path

from ocr.dataset.inputs import RenderedSet, survey_inputs
from ocr.dataset.labels.text_rule import USUAL, CountingRule, TextRule
from ocr.dataset.lines.copies import cluster_lines
from ocr.dataset.lines.inspection import RenderedLine, line_inspector
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.limits import LineLimits
from ocr.dataset.preparation import SNAPSHOT, SnapshotRef, Track, find_or_write, untracked
from ocr.dataset.process_pool import ProcessPool, open_pool
from ocr.dataset.selection import select_samples
from ocr.dataset.snapshot.held_out import drawn_share, fetch_held_out
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.dataset.snapshot.writer import write_snapshot
from ocr.dataset.split import SPLITS, SplitRule
from ocr.dataset.spool import Spool
from ocr.models.charset import Charset
from ocr.store import Store

_ROWS_WORTH_A_POOL = 2000


def prepare_lines(
    store: Store,
    *,
    name: str,
    labels: LineLabelFiles | None,
    limits: LineLimits,
    split: SplitRule,
    near_duplicate_bits: int,
    texts: TextRule = USUAL,
    charset: Charset | None = None,
    frozen_test: str = "",
    rendered: RenderedSet[RenderedLine] | None = None,
    work_folder: Path | None = None,
    track: Track = untracked,
) -> SnapshotRef:
    """Validate, split and store a dataset; nothing is decoded when it is in the store already.

    Args:
        store: Where the snapshot goes.
        name: Name of the dataset.
        labels: The labelled images; None: rendered lines only.
        limits: What is accepted.
        split: How rows without a split of their own are divided.
        near_duplicate_bits: Bits of the perceptual hash by which near-duplicates may differ.
        texts: How texts are written before they are looked at.
        charset: The only characters allowed; None: those of the texts.
        frozen_test: Digest of the test split to keep as it is; empty: none.
        rendered: Lines to render.
        work_folder: Where temporary files go; they take twice the images' size.
        track: Sees the rows as images have been looked into.

    Raises:
        BadInput: When there is nothing to prepare.
        ArtifactNotFound: When the root or a label file is missing.
        BadData: When a label file cannot be read, a split is empty, or the frozen test split is
            unknown or not what comes of the labels.
        TooManyRejected: When more than `limits.max_bad_share` of the rows is bad.
    """
    survey = survey_inputs(labels, rendered)
    frozen = fetch_held_out(store, name=name, digest=frozen_test) if frozen_test else None
    given = labels.given() if labels else ()
    counting = CountingRule(texts.form, texts.white_space)

    def write(folder: Path, pool: ProcessPool) -> SnapshotManifest:
        spool = Spool(folder)
        inspector = line_inspector(limits=limits, texts=counting, charset=charset)
        found = inspector.inspect(survey, spool=spool, pool=pool)
        selection = select_samples(
            track(found, survey.rows),
            spool=spool,
            rule=split,
            given=given,
            frozen=frozen,
            filled=(labels.only,) if labels and labels.only else SPLITS,
            max_bad_share=limits.max_bad_share,
            cluster=partial(cluster_lines, bits=near_duplicate_bits),
            groups_part=True,
        )
        return write_snapshot(
            folder / SNAPSHOT,
            name=name,
            task="recognition",
            accepted=selection.accepted,
            rejections=selection.rejections,
            charset_of=lambda texts: charset or Charset.from_texts(texts),
            spool=spool,
            pool=pool,
            texts=texts,
        )

    accepted = {k: v for k, v in asdict(limits).items() if k != "max_bad_share"}
    return find_or_write(
        store,
        name=name,
        stage="prepare-lines",
        inputs={
            "survey": survey.fingerprint,
            "frozen_test": frozen_test,
            "limits": accepted,
            "split": asdict(split),
            "texts": asdict(texts),
            "near_duplicate_bits": near_duplicate_bits,
            "charset": charset.characters if charset else None,
        },
        max_bad_share=limits.max_bad_share,
        work_folder=work_folder,
        pool=open_pool(survey.rows, worth_a_pool=_ROWS_WORTH_A_POOL),
        frozen=frozen,
        test_share=drawn_share(split, given, frozen),
        texts=counting,
        is_unchanged=survey.is_unchanged,
        write=write,
    )
