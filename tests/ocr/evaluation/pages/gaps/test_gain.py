"""What a gap model changes: learnt on some pages, measured on others, used where it is sure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from ocr.dataset.pages.snapshot import PageSample
from ocr.evaluation.pages.gaps.examples import GapExample
from ocr.evaluation.pages.gaps.fit import fit_weights
from ocr.evaluation.pages.gaps.gain import GapGain, fit_gap_model
from ocr.image.pixels import Image
from ocr.image.turning import Rotation
from ocr.models.gap_model import Gap, GapModel
from ocr.reading.detection.boxes import Detections
from ocr.reading.page_reader import PageReader, PlacedPage
from tests.ocr.evaluation.pages.gaps.columns import ROWS, draw_rows, sample
from tests.ocr.reading.cells import Cells

Rows = Sequence[tuple[str, str]]

PAGES = [ROWS[:count] for count in (1, 2, 3, 4)] * 3
OTHER = [("AB", "CA"), ("CACB", "CAB"), ("BCA", "AC"), ("CA", "BAB")]
"""Other texts, parted by the same rule."""


class Pages:
    """Train and validation pages, drawn when they are asked for."""

    def __init__(self, train: Sequence[Rows], val: Sequence[Rows], *, group: str = "") -> None:
        self._splits = {"train": train, "val": val}
        self._group = group

    def samples(self, split: str) -> Iterator[PageSample]:
        for at, rows in enumerate(self._splits[split]):
            yield sample(rows, image=f"{split} {at}", group=self._group)

    def image(self, page: PageSample) -> Image:
        split, at = page.image.split()
        return draw_rows(self._splits[split][int(at)])


class WholeRows:
    """Takes every row of such a page for one line: where there is light, and black above it."""

    name = "whole rows"

    def detect(self, image: Image) -> Detections:
        bright = np.flatnonzero(image.max(axis=(1, 2)))
        boxes = []
        for top in bright[np.diff(bright, prepend=-2) > 1]:
            columns = np.flatnonzero(image[top].max(axis=1))
            left, right = int(columns[0]), int(columns[-1]) + 1
            boxes.append([(left, top), (right, top), (right, top + 16), (left, top + 16)])
        found = np.array(boxes, dtype=np.float32)
        return Detections(found, found, np.ones(len(found), dtype=np.float32))


def fit(train: Sequence[Rows], val: Sequence[Rows], *, group: str = "") -> GapGain | None:
    pages = Pages(train, val, group=group)
    return fit_gap_model(PageReader(WholeRows(), Cells()), Cells(), pages)  # type: ignore[arg-type]


def test_a_detector_that_takes_two_lines_for_one_is_helped() -> None:
    found = fit(PAGES, [OTHER[:count] for count in (2, 3, 4)] * 4)

    assert found is not None
    assert found.gain.pays
    assert found.examples == 30
    assert found.gain.hmean < 0.7
    assert found.gain.change.value == pytest.approx(1 - found.gain.hmean)
    assert found.gain.change.lower > 0


def test_it_is_left_out_where_validation_pages_part_otherwise() -> None:
    found = fit(PAGES, [[("AB", "AC"), ("CA", "BA")]] * 6)

    assert found is not None
    assert (found.gain.hmean, found.gain.change.value) == (1.0, 0.0)
    assert not found.gain.pays


def test_of_one_document_nothing_is_known_for_sure() -> None:
    found = fit(PAGES, [OTHER] * 6, group="march")

    assert found is not None
    assert not found.gain.pays  # no other says above which probability it is to be parted
    assert found.gain.change.lower == -1.0


def test_where_every_gap_ends_a_line_all_are_parted() -> None:
    found = fit([ROWS[:2]] * 6, [OTHER[:2]] * 6)

    assert found is not None
    assert (found.gain.hmean, found.gain.change.value) == (0.0, 1.0)


def test_pages_are_measured_as_they_are_read_whichever_way_they_lie() -> None:
    class Upside(Pages):
        def image(self, page: PageSample) -> Image:
            drawn = super().image(page)
            return drawn if page.image.startswith("train") else drawn[::-1, ::-1].copy()

        def samples(self, split: str) -> Iterator[PageSample]:
            for page in super().samples(split):
                height, width, _ = Pages.image(self, page).shape
                regions = tuple(
                    replace(r, polygon=tuple((width - x, height - y) for x, y in r.polygon))
                    for r in page.regions
                )
                yield page if split == "train" else replace(page, regions=regions)

    class UpsideReader(PageReader):
        def place(
            self, image: Image, *, rotation: Rotation | None = None, with_kernels: bool = True
        ) -> PlacedPage:
            return super().place(image, rotation=180, with_kernels=with_kernels)

    reader = UpsideReader(WholeRows(), Cells())
    found = fit_gap_model(reader, Cells(), Upside(PAGES, [OTHER] * 6))  # type: ignore[arg-type]

    assert found is not None
    assert (found.gain.hmean, found.gain.change.value) == fit_upright()


def fit_upright() -> tuple[float, float]:
    found = fit(PAGES, [OTHER] * 6)
    assert found is not None
    return found.gain.hmean, found.gain.change.value


def test_without_neighbours_or_without_other_pages_there_is_no_model() -> None:
    assert fit([ROWS[2:]], [OTHER]) is None
    assert fit(PAGES, []) is None
    assert fit([], [OTHER]) is None


def test_the_page_reader_reads_with_it_as_it_was_measured() -> None:
    found = fit(PAGES, [OTHER[:count] for count in (2, 3, 4)] * 4)
    assert found is not None

    lines = PageReader(WholeRows(), Cells(), gaps=found.model).read(draw_rows(OTHER)).lines

    assert [line.text for line in lines] == ["AB", "CA", "CACB", "CAB", "BCA AC", "CA BAB"]


def test_weights_are_small_where_examples_are_few_and_the_same_every_time() -> None:
    few = [GapExample(Gap(1.0, "A", "B"), ends=True), GapExample(Gap(1.0, "B", "A"), ends=False)]

    weights, more = fit_weights(few), fit_weights(few * 50)

    assert 0.5 < GapModel(weights, 0.5).probability(few[0].gap) < 0.97
    assert GapModel(more, 0.5).probability(few[0].gap) > 0.98
    np.testing.assert_array_equal(fit_weights(few), weights)
