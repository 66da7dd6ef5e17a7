"""The lines of labelled pages, cut out: what the recogniser of the pages learns from."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.accepted import Accepted
from ocr.dataset.candidate import Candidate, Row
from ocr.dataset.collecting import collect
from ocr.dataset.documents.votes import object_to
from ocr.dataset.examination import examine_rendered
from ocr.dataset.labels.text_rule import USUAL, TextRule
from ocr.dataset.lines.label import LineLabel
from ocr.dataset.lines.limits import LineLimits
from ocr.dataset.lines.validation import find_text_fault
from ocr.dataset.pages.limits import PageLimits
from ocr.dataset.pages.preparation import PAGES_WORTH_A_POOL
from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import PageSample, PageSnapshot, open_page_snapshot
from ocr.dataset.pages.upright import NumberedRegion, lay_upright
from ocr.dataset.preparation import SNAPSHOT, SnapshotRef, Track, find_or_write, untracked
from ocr.dataset.process_pool import ProcessPool, open_pool
from ocr.dataset.quarantine import Fault, Rejection
from ocr.dataset.selection import Selection, conclude
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.dataset.snapshot.snapshot import MANIFEST
from ocr.dataset.snapshot.writer import write_snapshot
from ocr.dataset.spool import Spool, SpoolFile
from ocr.image.cropping import (
    CROP_MARGIN,
    SURROUNDINGS_SHARE,
    crop_line,
    crop_surroundings,
    grow_boxes,
)
from ocr.image.pixels import GreyImage
from ocr.image.rectangle import smallest_rectangle
from ocr.models.charset import Charset
from ocr.store import Store
from ocr.store.folder import download_folder

_BATCH = 4
_MIN_SIDE_PX = 4
"""A printed 1 on a small scan is five pixels wide."""

CutLine = Candidate[LineLabel]
"""A line cut out of a page, and the split of that page."""


def prepare_crops(
    store: Store,
    *,
    pages_key: str,
    name: str,
    limits: PageLimits,
    texts: TextRule = USUAL,
    work_folder: Path | None = None,
    track: Track = untracked,
) -> SnapshotRef:
    """Cut the read regions out of the pages of a snapshot, into a snapshot of lines.

    Every line keeps the split and the group of its page; of a page without a group, the page is the
    group. Equal crops are all kept, and equal images stored once a split; a crop that reads
    otherwise than most of its equals in that split is rejected. Crops are stored as JPEG of quality
    95, as rendered lines are: the pages they come from are photographs and scans, mostly JPEG
    themselves, and PNG takes three times the space. Crops of the train split keep their
    surroundings, so that a net learns from neighbours' ends and boxes that are a little off.

    Args:
        store: Where the pages are and the lines go.
        pages_key: Prefix of the pages' snapshot.
        name: Name of the dataset of lines.
        limits: What is accepted.
        texts: How texts are written before they are looked at.
        work_folder: Where temporary files go: the pages, and the lines twice.
        track: Sees the lines as they have been cut out.

    Raises:
        ArtifactNotFound: There is no such snapshot.
        BadData: It holds no pages, or a split has no line.
        TooManyRejected: More than `limits.max_bad_share` of the lines is bad.
    """
    manifest = SnapshotManifest.from_bytes(store.read_bytes(f"{pages_key}/{MANIFEST}"))
    accepted = {k: v for k, v in asdict(_of_lines(limits)).items() if k != "max_bad_share"}
    return find_or_write(
        store,
        name=name,
        stage="crop-pages",
        inputs={
            "pages": manifest.digest,
            "limits": accepted,
            "texts": asdict(texts),
        },
        max_bad_share=limits.max_bad_share,
        work_folder=work_folder,
        pool=open_pool(manifest.counts["accepted"], worth_a_pool=PAGES_WORTH_A_POOL),
        write=partial(
            _write,
            store,
            pages_key=pages_key,
            name=name,
            limits=limits,
            texts=texts,
            track=track,
        ),
    )


def cut_region(page: NDArray[np.uint8], region: Region) -> NDArray[np.uint8]:
    """Cut one region out of a page, grown by `CROP_MARGIN`: (H, W, 3) BGR."""
    return crop_line(page, _line_box(region))


def cut_surroundings(page: NDArray[np.uint8], region: Region) -> NDArray[np.uint8]:
    """Cut one region out of a page with its surroundings: (H, W, 3) BGR."""
    return crop_surroundings(page, _line_box(region))


def _line_box(region: Region) -> NDArray[np.float32]:
    box, _ = smallest_rectangle(np.array(region.polygon, np.float32))
    return np.asarray(grow_boxes(box[None], CROP_MARGIN)[0])


def _write(
    store: Store,
    folder: Path,
    pool: ProcessPool,
    *,
    pages_key: str,
    name: str,
    limits: PageLimits,
    texts: TextRule,
    track: Track,
) -> SnapshotManifest:
    spool = Spool(folder)
    copy = download_folder(store, prefix=pages_key, folder=folder / "pages")
    pages = open_page_snapshot(copy)
    lines = sum(len(readable_regions(sample)) for sample in pages.samples())
    cut = _cut_pages(pages, limits=_of_lines(limits), texts=texts, spool=spool, pool=pool)
    selection = _select(track(cut, lines), spool=spool, max_bad_share=limits.max_bad_share)
    return write_snapshot(
        folder / SNAPSHOT,
        name=name,
        task="recognition",
        accepted=selection.accepted,
        rejections=selection.rejections,
        charset_of=_charset,
        spool=spool,
        pool=pool,
        texts=texts,
        surroundings=SURROUNDINGS_SHARE,
    )


def _select(
    found: Iterable[CutLine | Rejection], *, spool: Spool, max_bad_share: float
) -> Selection[LineLabel]:
    """Keep every line, in the split of its page: pages keep splits apart, lines may look alike."""
    lines, rejections = collect(found, spool=spool)
    outvoted = _outvoted(lines)
    cut = Accepted(lines, np.arange(len(lines), dtype=np.int32), lines.splits)
    kept = cut.without(np.array(list(outvoted), np.int32))
    return conclude(kept, [*rejections, *outvoted.values()], max_bad_share=max_bad_share)


def _outvoted(lines: Sequence[Candidate[LineLabel]]) -> dict[int, Rejection]:
    """Reject lines that read otherwise than most equal ones of their split, by position.

    Labels of the test decide nothing that is learnt, nor what is learnt what is tested; what a
    model read votes only where nobody labelled an equal line.
    """
    votes: dict[object, Counter[str]] = {}
    for line in lines:
        votes.setdefault(_voters(line), Counter())[line.row.label.text] += 1
    outvoted: dict[int, Rejection] = {}
    for at, line in enumerate(lines):
        texts = votes.get((_pixels(line), True)) or votes[_voters(line)]
        if detail := object_to(line.row.label.text, texts):
            outvoted[at] = line.row.reject("duplicate_with_other_text", detail)
    return outvoted


def _digest(grey: GreyImage) -> bytes:
    """Equal for equal lines, whatever surrounds them; near ones need not be found here."""
    return hashlib.blake2b(grey.tobytes(), digest_size=16, key=str(grey.shape).encode()).digest()


def _pixels(line: Candidate[LineLabel]) -> object:
    return line.row.split, line.encoded.hash


def _voters(line: Candidate[LineLabel]) -> object:
    return _pixels(line), line.row.is_checked


def _of_lines(limits: PageLimits) -> LineLimits:
    return LineLimits(
        min_side_px=_MIN_SIDE_PX,
        max_pixels=limits.max_pixels,
        max_text_length=limits.max_text_length,
        max_bad_share=limits.max_bad_share,
    )


def _cut_pages(
    pages: PageSnapshot, *, limits: LineLimits, texts: TextRule, spool: Spool, pool: ProcessPool
) -> Iterator[CutLine | Rejection]:
    samples = list(pages.samples())
    batches = [samples[at : at + _BATCH] for at in range(0, len(samples), _BATCH)]
    work = partial(_cut_batch, pages=pages, limits=limits, texts=texts, spool=spool)
    for found in pool.map_in_order(work, batches):
        yield from found


def _cut_batch(
    samples: Sequence[PageSample],
    *,
    pages: PageSnapshot,
    limits: LineLimits,
    texts: TextRule,
    spool: Spool,
) -> list[CutLine | Rejection]:
    with spool.appending() as file:
        return [
            each
            for sample in samples
            for each in _cut_page(sample, pages, limits=limits, texts=texts, file=file)
        ]


def _cut_page(
    sample: PageSample,
    pages: PageSnapshot,
    *,
    limits: LineLimits,
    texts: TextRule,
    file: SpoolFile,
) -> Iterator[CutLine | Rejection]:
    image, regions = lay_upright(pages.image(sample), readable_regions(sample))
    for number, region in regions:
        where = f"{sample.image or sample.id[:12]} region {number}"
        label = LineLabel(region.text).written(texts)
        group = sample.group or sample.id
        row = Row(sample.image, label, sample.split, group, sample.source, where)
        found = find_text_fault(label.text, limits=limits, charset=None) or examine_rendered(
            cut_region(image, region),
            limits=limits,
            file=file,
            hash_image=_digest,
            kept=cut_surroundings(image, region) if sample.split == "train" else None,
        )
        if isinstance(found, Fault):
            yield row.reject(*found)
        else:
            yield Candidate(row, found)


def readable_regions(sample: PageSample) -> list[NumberedRegion]:
    """Regions that have a text to learn, numbered as on their page."""
    numbered = enumerate(sample.regions, start=1)
    return [(at, region) for at, region in numbered if region.text and not region.ignored]


def _charset(texts: Iterable[str]) -> Charset:
    """Characters in code point order, but the space last, where stock PaddleOCR has it."""
    characters = Charset.from_texts(texts).characters
    return Charset(tuple(sorted(characters, key=lambda each: (each == " ", each))))
