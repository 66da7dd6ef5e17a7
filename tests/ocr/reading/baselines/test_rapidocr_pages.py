import numpy as np
import pytest

from ocr.reading.baselines import RapidOcrPages
from tests.ocr.reading.baselines.pages import LINES, draw_page


@pytest.fixture(scope="module")
def reader() -> RapidOcrPages:
    return RapidOcrPages()


def test_page_is_read_line_by_line_with_corners_in_pixels(reader: RapidOcrPages) -> None:
    reading = reader.read(draw_page())

    spaceless = [line.text.replace(" ", "") for line in reading.lines]
    assert spaceless == [line.replace(" ", "") for line in LINES]
    (x, y), *_ = reading.lines[0].polygon
    assert 20 < x < 45
    assert 35 < y < 65
    assert all(line.confidence > 0.8 for line in reading.lines)
    assert reading.timings["detect"] > 0


@pytest.mark.parametrize(("quarter_turns", "first"), [(0, 0), (1, 3), (2, 2)])
def test_boxes_of_turned_lines_begin_where_reading_begins(
    reader: RapidOcrPages, quarter_turns: int, first: int
) -> None:
    reading = reader.read(np.ascontiguousarray(np.rot90(draw_page(), quarter_turns)))

    assert sorted(line.text.replace(" ", "") for line in reading.lines) == [
        "HELLOWORLD",
        "TOTAL77.42",
    ]
    for line in reading.lines:
        corners = np.array(line.polygon)
        upper_left = int(corners.sum(axis=1).argmin())
        assert (4 - upper_left) % 4 == first


def test_blank_page_reads_as_nothing(reader: RapidOcrPages) -> None:
    assert reader.read(np.full((200, 200, 3), 255, dtype=np.uint8)).lines == ()


def test_page_that_the_engine_would_scale_down_to_nothing_is_read(reader: RapidOcrPages) -> None:
    assert reader.read(np.full((20, 4000, 3), 255, dtype=np.uint8)).lines == ()
