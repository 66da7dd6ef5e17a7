import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
import PIL.Image
import pypdfium2 as pdfium
import pytest
from shapely.geometry import Polygon
from shapely.geometry import box as rectangle

from ocr.errors import BadInput
from ocr.image.pdf import Pdf
from ocr.image.pixels import encode_jpeg
from serving.rest.documents.searchable_pdf import PIXELS_PER_INCH, write_searchable_pdf
from tests.serving.rest.documents.pages import HOSTILE, HOSTILE_KEPT, box, line, page, word

PICTURE = encode_jpeg(np.full((480, 640, 3), 255, np.uint8))
with io.BytesIO() as _file:
    PIL.Image.new("CMYK", (8, 8)).save(_file, "JPEG")
    CMYK = _file.getvalue()
POINTS_PER_PIXEL = 72 / PIXELS_PER_INCH


def write(*pages: dict[str, Any]) -> bytes:
    return write_searchable_pdf(pages, [PICTURE] * len(pages))


@contextmanager
def opened(content: bytes, index: int = 0) -> Iterator[pdfium.PdfTextPage]:
    with pdfium.PdfDocument(content) as document:
        yield document[index].get_textpage()


def found(content: bytes) -> list[str]:
    """Return the lines that a viewer copies."""
    with opened(content) as text:
        return [row.rstrip() for row in text.get_text_bounded().splitlines()]


def places(content: bytes, text: str, *, height: int = 480) -> list[tuple[float, ...]]:
    """Return left, top, right and bottom in pixels of each character of the first such text."""
    with opened(content) as on_page:
        index, count = on_page.search(text).get_next()
        boxes = [on_page.get_charbox(each) for each in range(index, index + count)]
    scaled = [[value / POINTS_PER_PIXEL for value in each] for each in boxes]
    return [(left, height - top, right, height - bottom) for left, bottom, right, top in scaled]


@pytest.mark.parametrize(
    "texts",
    [
        ["TOTAL 12.50", "VISA", "THANK YOU"],
        ["增值税发票", "合计：12.50元", "名称 Name"],
        ["😀 𠮷野家 𝒳", "e\u0301 क्षि ที่"],
        ["שלום עולם", "مرحبا بالعالم"],
        ["(a) \\n <0041> Tj ET %", ") Tj"],
    ],
    ids=["ascii", "chinese", "astral-and-combining", "right-to-left", "syntax"],
)
def test_texts_are_found_in_order(texts: list[str]) -> None:
    lines = [line(text, box(40, 40 + 60 * row, 400, 30)) for row, text in enumerate(texts)]

    assert found(write(page(*lines))) == texts


@pytest.mark.parametrize("turned", [90, 180, 270])
def test_a_page_that_was_turned_to_be_read_stands_upright(turned: int) -> None:
    def turn(polygon: list[tuple[float, float]]) -> list[tuple[float, float]]:
        """Return where a corner lies on the page as it was given, clockwise by so much more."""
        to = {90: lambda x, y: (y, 640 - x), 180: lambda x, y: (640 - x, 480 - y)}
        to[270] = lambda x, y: (480 - y, x)
        return [to[turned](x, y) for x, y in polygon]

    rows = [["CASH", "20.00"], ["TOTAL", "12.50"]]
    lines = [
        line(
            " ".join(texts),
            turn(box(40, 40 + 60 * row, 300, 30)),
            words=[
                word(text, turn(box(40 + 160 * number, 40 + 60 * row, 140, 30)))
                for number, text in enumerate(texts)
            ],
        )
        for row, texts in enumerate(rows)
    ]
    width, height = (640, 480) if turned == 180 else (480, 640)

    content = write(page(*lines, width=width, height=height, rotation=turned))

    assert found(content) == ["CASH 20.00", "TOTAL 12.50"]
    with pdfium.PdfDocument(content) as document:
        assert document[0].get_size() == pytest.approx(
            (640 * POINTS_PER_PIXEL, 480 * POINTS_PER_PIXEL)
        )


def test_boxes_of_one_row_do_not_run_together() -> None:
    lines = [line("1", box(40, 40, 8, 20)), line("60160", box(49, 40, 50, 20))]

    assert found(write(page(*lines)))[0].split() == ["1", "60160"]


def test_hostile_text_stays_text() -> None:
    assert found(write(page(line(HOSTILE, box(40, 40, 400, 30))))) == [HOSTILE_KEPT]


def test_characters_fill_the_box_of_their_line() -> None:
    content = write(page(line("ABCD", box(40, 31, 172, 24))))

    boxes = places(content, "ABCD")

    for index, each in enumerate(boxes):
        expected = (40 + 43 * index, 31, 40 + 43 * (index + 1), 55)
        assert each == pytest.approx(expected, abs=1)


@pytest.mark.parametrize("degrees", [-90, -30, -3, 5, 45, 90, 180])
def test_characters_of_a_turned_line_lie_on_it_in_order(degrees: float) -> None:
    polygon = box(320, 240, 180, 24, degrees=degrees)
    content = write(page(line("turned", polygon)))

    middles = [rectangle(*each).centroid for each in places(content, "turned")]

    start = Polygon(polygon).exterior.interpolate(0)
    assert all(Polygon(polygon).buffer(0.1).contains(middle) for middle in middles)
    assert all(start.distance(near) < start.distance(far) for near, far in pairwise(middles))
    assert found(content) == ["turned"]


def test_words_have_their_own_boxes_and_the_spaces_of_their_line() -> None:
    words = [
        word("合", box(40, 31, 20, 24)),
        word("计", box(62, 31, 20, 24)),
        word("12.50", box(300, 31, 60, 24)),
    ]
    content = write(page(line("合计 12.50", box(40, 31, 320, 24), words=words)))

    amount = places(content, "12.50")

    assert found(content) == ["合计 12.50"]
    assert amount[0][0] == pytest.approx(300, abs=0.1)
    assert amount[-1][2] == pytest.approx(360, abs=0.1)


def test_box_without_area_is_still_found() -> None:
    content = write(page(line("thin", box(40, 40, 100, 0)), line("gone", box(40, 90, 0, 0))))

    assert found(content) == ["thin", "gone"]


def test_each_page_has_its_size_its_picture_and_its_text() -> None:
    grey = cv2.imencode(".jpg", np.zeros((50, 100), np.uint8))[1].tobytes()
    small = page(line("second", box(10, 10, 60, 20)), width=100, height=50)

    content = write_searchable_pdf([page(), small], [PICTURE, grey])

    assert PICTURE in content
    assert grey in content
    with pdfium.PdfDocument(content) as document:
        assert [each.get_size() for each in document] == [
            pytest.approx((230.4, 172.8)),
            pytest.approx((36, 18)),
        ]
        assert document[0].get_textpage().get_text_bounded() == ""
        assert document[1].get_textpage().get_text_bounded().strip() == "second"


def test_picture_is_seen_and_text_is_not() -> None:
    corner = np.full((480, 640, 3), 255, np.uint8)
    corner[:240, :320] = (40, 40, 200)
    content = write_searchable_pdf(
        [page(line("UNSEEN", box(330, 250, 300, 200)))], [encode_jpeg(corner)]
    )

    with Pdf(content) as document:
        drawn = document.draw(0, max_pixels=corner.size)

    assert drawn.shape == corner.shape
    assert np.abs(drawn.astype(int) - corner).mean() < 2
    assert drawn[250:450, 330:630].min() > 250


@pytest.mark.parametrize(
    ("pictures", "message"),
    [
        ([], "0 pictures of 1 pages"),
        ([b"no JPEG"], "no JPEG: 7 bytes"),
        ([PICTURE[:100]], "no JPEG: 100 bytes"),
        ([CMYK], "in CMYK, expected grey or colour"),
    ],
)
def test_other_pictures_are_refused(pictures: list[bytes], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        write_searchable_pdf([page()], pictures)


def test_many_pages_are_written_alike_soon_and_small() -> None:
    text = "ABCDEFGH 合计 12.50 and so on, a long line"
    lines = [line(text, box(20, 4 * row, 600, 4)) for row in range(100)]
    pages = [page(*lines)] * 20
    started = time.process_time()

    content = write(*pages)

    assert time.process_time() - started < 5
    assert len(content) < 20 * (len(PICTURE) + 20_000)
    assert content == write(*pages)
