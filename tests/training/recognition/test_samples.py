"""The crops of a split: checked against charset and width, the rare ones found."""

from itertools import starmap

import numpy as np
import pytest

from ocr.errors import BadData
from ocr.image.pixels import Image
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from training.recognition.samples import Line, collect_crops, find_rare, frames_needed

DIGITS = Charset(tuple("0123456789"))
FIXED = LineSpec("fixed", 32, 32)
LINE = LineSpec("line", 32, 320)


def blank(width_px: int, height_px: int = 32) -> Image:
    return np.zeros((height_px, width_px, 3), np.uint8)


@pytest.mark.parametrize(
    ("lines", "spec", "message"),
    [
        ([], FIXED, "The val split is empty"),
        ([("1x", blank(32))], FIXED, "'x' of '1x' is not in the charset"),
        ([("123456789", blank(99))], FIXED, "32 px give 8 frames; raise width_px"),
        ([("11111", blank(99))], FIXED, "too long for their width, such as '11111'"),
        ([("12", blank(32)), ("1234", blank(12))], LINE, "1 of 2 texts .* raise height_px"),
    ],
)
def test_a_split_that_cannot_be_used_is_refused(
    lines: list[tuple[str, Image]], spec: LineSpec, message: str
) -> None:
    with pytest.raises(BadData, match=message):
        collect_crops(starmap(Line, lines), split="val", charset=DIGITS, spec=spec)


def test_a_few_lines_too_narrow_for_their_texts_are_left_out() -> None:
    lines = [Line("12", blank(64))] * 9 + [Line("123456789", blank(16))]

    crops = collect_crops(lines, split="train", charset=DIGITS, spec=LINE)

    assert len(crops) == 9


def test_widths_follow_the_aspect_of_lines_only() -> None:
    given = [Line("12", blank(100, 20))]

    lines = collect_crops(given, split="train", charset=DIGITS, spec=LINE)
    fixed = collect_crops(given, split="train", charset=DIGITS, spec=FIXED)

    assert lines.widths_px.tolist() == [160]
    assert fixed.widths_px.tolist() == [32]


def test_huge_crops_are_kept_at_the_size_of_the_input() -> None:
    crops = collect_crops([Line("12", blank(4000, 1000))], split="train", charset=DIGITS, spec=LINE)

    assert crops.images[0].shape == (32, 128, 3)


@pytest.mark.parametrize(("labels", "frames"), [([1], 1), ([1, 2], 2), ([1, 1], 3), ([2] * 4, 7)])
def test_repeats_need_a_blank_between_them(labels: list[int], frames: int) -> None:
    assert frames_needed(labels) == frames


def test_crops_with_rare_characters_are_found_and_are_few() -> None:
    texts = ["11"] * 98 + ["12", "13"]

    assert find_rare(texts).tolist() == [98, 99]
    assert len(find_rare(["ab", "cd", "ef"] * 20)) == 0
