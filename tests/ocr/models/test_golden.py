"""Golden images: written, read back, and compared with what is read now."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ocr.errors import BadData, ParityFailed
from ocr.image.pixels import Image
from ocr.models.golden import (
    compare_lines,
    decode_golden,
    prove_lines,
    prove_pages,
    read_golden_inputs,
    read_golden_pages,
    write_golden,
)
from ocr.models.page_line import PageLine
from tests.toy_pipeline import LINES, write_toy_pipeline

TEXTS = ["TOTAL", "12.50", "謝謝"]


def line(text: str = "TOTAL", *, moved_px: float = 0) -> PageLine:
    corners = ((10, 10), (60, 10), (60, 20), (10, 20))
    return PageLine(polygon=tuple((x, y + moved_px) for x, y in corners), text=text, confidence=0.9)


PROMISED = (line(), line("12.50", moved_px=30))


@pytest.fixture
def images() -> list[Image]:
    random = np.random.default_rng(0)
    return [random.integers(0, 256, (8, 20, 3), dtype=np.uint8) for _ in TEXTS]


@pytest.fixture
def bundle(tmp_path: Path, images: list[Image]) -> Path:
    write_golden(tmp_path, [(one, {"text": text}) for one, text in zip(images, TEXTS, strict=True)])
    return tmp_path


def test_images_come_back_pixel_for_pixel(bundle: Path, images: list[Image]) -> None:
    found = list(read_golden_inputs(bundle))

    assert [image.tolist() for image in found] == [image.tolist() for image in images]


def test_lines_that_read_as_promised_are_counted(bundle: Path, images: list[Image]) -> None:
    given: list[bytes] = []

    def read(encoded: Sequence[bytes]) -> list[str]:
        given.extend(encoded)
        return TEXTS

    assert prove_lines(bundle, read) == 3
    assert [decode_golden(one).tolist() for one in given] == [image.tolist() for image in images]


def test_first_text_that_differs_is_named(bundle: Path) -> None:
    with pytest.raises(
        ParityFailed, match=r"golden image 001\.png reads '12,50' instead of '12\.50'"
    ):
        prove_lines(bundle, lambda _: ["TOTAL", "12,50", "谢谢"])


def test_pages_that_read_as_promised_are_counted(tmp_path: Path) -> None:
    pipeline = write_toy_pipeline(tmp_path / "pipeline")
    answers = iter([LINES, ()])

    assert [page.lines for page in read_golden_pages(pipeline)] == [LINES, ()]
    assert prove_pages(pipeline, lambda _: next(answers)) == 2


def test_first_page_that_differs_is_named(tmp_path: Path) -> None:
    pipeline = write_toy_pipeline(tmp_path / "pipeline")

    with pytest.raises(ParityFailed, match=r"golden page 001\.png: lines read: 2 instead of 0"):
        prove_pages(pipeline, lambda _: LINES)


def test_same_lines_within_a_pixel_agree() -> None:
    assert compare_lines([line(moved_px=1), line("12.50", moved_px=29.2)], PROMISED) == ""


@pytest.mark.parametrize(
    ("found", "difference"),
    [
        ([line()], "lines read: 1 instead of 2"),
        ([line(), line("12,50", moved_px=30)], "line 2 reads '12,50' instead of '12.50'"),
        ([line("12.50", moved_px=30), line()], "line 1 reads '12.50' instead of 'TOTAL'"),
        (
            [line(), line("12.50", moved_px=31.5)],
            "line 2 ('12.50') lies 1.5 px from where it was promised",
        ),
    ],
)
def test_first_line_that_differs_is_named(found: list[PageLine], difference: str) -> None:
    assert compare_lines(found, PROMISED) == difference


@pytest.mark.parametrize(
    "content",
    ["", "{}", '{"images": []}', '{"images": [{"file": "0.png"}]}', '{"images": [{"lines": []}]}'],
)
def test_unreadable_golden_outputs_prove_nothing(bundle: Path, content: str) -> None:
    (bundle / "golden/outputs.json").write_text(content)

    with pytest.raises(BadData, match=r"outputs\.json"):
        read_golden_pages(bundle)
    with pytest.raises(BadData, match=r"outputs\.json"):
        prove_lines(bundle, lambda _: [])


@pytest.mark.parametrize("name", ["/etc/hostname", "../../outside.png", "", ".hidden", 7])
def test_a_golden_image_lies_in_the_bundle_whatever_is_said_of_it(
    bundle: Path, name: object
) -> None:
    (bundle.parent / "outside.png").write_bytes(b"of somebody else")
    record = {"file": name, "text": "A", "lines": []}
    (bundle / "golden/outputs.json").write_text(json.dumps({"images": [record]}))

    with pytest.raises(BadData, match=r"outputs\.json is unreadable"):
        prove_lines(bundle, lambda images: ["A" for _ in images])
    with pytest.raises(BadData, match=r"outputs\.json is unreadable"):
        read_golden_pages(bundle)


def test_a_damaged_line_of_a_golden_page_is_named(bundle: Path) -> None:
    (bundle / "golden/outputs.json").write_text(
        '{"images": [{"file": "0.png", "lines": [{"text": "A"}]}]}'
    )

    with pytest.raises(BadData, match=r"outputs\.json is unreadable: KeyError\('polygon'\)"):
        read_golden_pages(bundle)
