"""Pages as PaddleOCR's trainer reads them; what has nothing to learn from is refused."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ocr.dataset.pages.region import Region
from ocr.errors import BadData
from ocr.image.pixels import decode_image
from ocr.models.detector_spec import PageSpec
from training.paddleocr.config import JobFiles
from training.paddleocr.detection.data import check_pages, write_files

SQUARE = ((10.0, 20.0), (50.0, 20.0), (50.0, 40.0), (10.0, 40.0))
HEXAGON = ((0.0, 0.0), (20.0, 0.0), (40.0, 0.0), (40.0, 10.0), (20.0, 10.0), (0.0, 10.0))
WORD = Region(SQUARE, "12.50")
BLURRED = Region(SQUARE, "?", ignored=True)


def snapshot_of(*pages: tuple[Region, ...]) -> Any:
    """As many train as val pages of 200 x 100 px."""
    samples = [SimpleNamespace(regions=regions, source="det.txt") for regions in pages]
    image = np.arange(100 * 200 * 3, dtype=np.uint8).reshape(100, 200, 3)
    return SimpleNamespace(samples=lambda _: iter(samples), image=lambda _: image)


def written(folder: Path, *pages: tuple[Region, ...], long_side_px: int = 640) -> list[Any]:
    files = JobFiles.of(folder)
    write_files(snapshot_of(*pages), files, spec=PageSpec(long_side_px))
    rows = [row.split("\t") for row in files.train.read_text().splitlines()]
    assert files.val.read_text().count("\n") == len(rows)
    return [(files.data / name, json.loads(label)) for name, label in rows]


def test_a_label_file_has_the_corners_and_what_is_ignored(tmp_path: Path) -> None:
    ((image, label),) = written(tmp_path, (WORD, BLURRED))

    assert decode_image(image.read_bytes(), max_pixels=10**6).shape == (100, 200, 3)
    assert [one["points"] for one in label] == [[[*corner] for corner in SQUARE]] * 2
    assert [one["transcription"] == "###" for one in label] == [False, True]


def test_a_text_that_means_ignored_over_there_is_learnt(tmp_path: Path) -> None:
    ((_, label),) = written(tmp_path, (Region(SQUARE, "###"), Region(SQUARE, "*")))

    assert not {one["transcription"] for one in label} & {"###", "*"}


def test_a_large_page_is_written_as_large_as_the_net_meets_it(tmp_path: Path) -> None:
    ((image, label),) = written(tmp_path, (WORD,), long_side_px=96)

    assert decode_image(image.read_bytes(), max_pixels=10**6).shape == (48, 96, 3)
    np.testing.assert_allclose(label[0]["points"], np.array(SQUARE) * 0.48, atol=0.01)


def test_a_region_of_many_corners_is_its_rectangle(tmp_path: Path) -> None:
    ((_, label),) = written(tmp_path, (Region(HEXAGON, "x"),))

    assert label[0]["points"] == [[0, 0], [40, 0], [40, 10], [0, 10]]


def test_a_page_without_regions_stays_a_page(tmp_path: Path) -> None:
    (_, (_, label)) = written(tmp_path, (WORD,), ())

    assert [one["transcription"] for one in label] == ["###"]


@pytest.mark.parametrize(
    ("pages", "said"),
    [
        ([], "The val split is empty: training needs train and val pages"),
        ([(), (BLURRED,)], "None of the 2 pages of the val split has a region that counts"),
    ],
)
def test_a_split_with_nothing_to_find_is_refused(pages: Any, said: str) -> None:
    with pytest.raises(BadData, match=re.escape(said)):
        check_pages(snapshot_of(*pages))


def test_pages_are_counted() -> None:
    assert check_pages(snapshot_of((WORD,), (BLURRED,), ())) == 3
