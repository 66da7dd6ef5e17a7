import re
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest

from serving.rest.documents.hocr import write_hocr
from tests.serving.rest.documents.pages import HOSTILE, HOSTILE_KEPT, box, line, page, word

XHTML = "{http://www.w3.org/1999/xhtml}"


def parse(*pages: dict[str, Any], title: str = "order-7") -> Element:
    return fromstring(write_hocr(pages, title=title, model="receipts c2a41f9d7e05").encode())


def of_class(root: Element, kind: str) -> list[Element]:
    return [element for element in root.iter() if element.get("class") == kind]


def titles(root: Element, kind: str) -> list[str]:
    return [element.get("title", "") for element in of_class(root, kind)]


def test_head_says_what_read_it_and_what_it_holds() -> None:
    root = parse(page(), title="a<b\0")

    metas = {meta.get("name"): meta.get("content") for meta in root.iter(f"{XHTML}meta")}

    assert root.findtext(f"{XHTML}head/{XHTML}title") == "a<b"
    assert metas["ocr-system"] == "ocrline receipts c2a41f9d7e05"
    assert metas["ocr-capabilities"] == "ocr_page ocr_line ocrx_word ocrp_wconf"
    assert metas["ocr-number-of-pages"] == "1"


def test_line_without_words_is_one_word_of_its_box() -> None:
    root = parse(page(line("TOTAL 12.50", box(40.2, 31, 171.6, 24))))

    assert titles(root, "ocr_line") == ["bbox 40 31 212 55"]
    assert titles(root, "ocrx_word") == ["bbox 40 31 212 55; x_wconf 98"]
    assert [word.text for word in of_class(root, "ocrx_word")] == ["TOTAL 12.50"]


def test_words_stand_in_their_line_with_the_spaces_of_its_text() -> None:
    words = [
        word("合", box(40, 31, 20, 24)),
        word("计", box(60, 31, 20, 24)),
        word("12.50", box(90, 31, 60, 24)),
    ]
    root = parse(page(line("合计 12.50", box(40, 31, 110, 24), words=words)))

    (written,) = of_class(root, "ocr_line")

    assert "".join(written.itertext()).strip() == "合计 12.50"
    assert titles(written, "ocrx_word")[2] == "bbox 90 31 150 55; x_wconf 90"


def test_pages_keep_their_numbers_and_an_empty_one_is_there() -> None:
    root = parse(page(), page(line("x", box(0, 0, 10, 10)), number=7, width=100, height=50))

    first, second = of_class(root, "ocr_page")

    assert titles(root, "ocr_page") == ["bbox 0 0 640 480; ppageno 0", "bbox 0 0 100 50; ppageno 6"]
    assert not len(first)
    assert "".join(second.itertext()).strip() == "x"


def test_every_id_is_there_once() -> None:
    lines = [line("x", box(0, 20 * index, 10, 10)) for index in range(12)]

    ids = [element.get("id") for element in parse(page(*lines), page(*lines, number=2)).iter()]

    named = [name for name in ids if name]
    assert len(named) == len(set(named)) == 2 * (1 + 12 + 12)


def test_box_ends_where_the_page_does() -> None:
    root = parse(page(line("wide", box(-4, 460, 700, 30)), line("out", box(700, 10, 60, 20))))

    assert titles(root, "ocr_line") == ["bbox 0 460 640 480", "bbox 640 10 640 30"]


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [
        (0, ""),
        (90, "textangle 270"),
        (180, "textangle 180"),
        (270, "textangle 90"),
        (85, "textangle 270"),
    ],
)
def test_quarter_turn_is_an_angle(degrees: float, expected: str) -> None:
    root = parse(page(line("x y", box(300, 200, 100, 20, degrees=degrees))))

    assert titles(root, "ocr_line")[0].partition("; ")[2] == expected


@pytest.mark.parametrize("degrees", [-4, 4])
def test_baseline_of_a_slanted_line_runs_along_its_lower_edge(degrees: float) -> None:
    polygon = box(100, 200, 400, 20, degrees=degrees)
    root = parse(page(line("x y", polygon)))

    values = re.findall(r"-?[\d.]+", titles(root, "ocr_line")[0])
    left, _, _, bottom, slope, base = map(float, values)

    for x, y in polygon[2:]:
        assert bottom + base + slope * (x - left) == pytest.approx(y, abs=1)


def test_box_without_a_width_has_no_direction() -> None:
    assert titles(parse(page(line("x", box(9, 9, 0, 0)))), "ocr_line") == ["bbox 9 9 9 9"]


def test_hostile_text_stays_text() -> None:
    root = parse(page(line(HOSTILE, box(0, 0, 100, 20))), title=HOSTILE)

    assert [word.text for word in of_class(root, "ocrx_word")] == [HOSTILE_KEPT]
    assert root.findtext(f"{XHTML}head/{XHTML}title") == HOSTILE_KEPT
    assert not list(root.iter(f"{XHTML}script"))
