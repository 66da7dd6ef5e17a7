import os
from collections.abc import Sequence

import pytest

from ocr.dataset.candidate import Row
from ocr.dataset.pages.labels import RawPage, RawPageLabel, RawRegion
from ocr.dataset.pages.labels.icdar2015 import parse_icdar2015
from ocr.dataset.quarantine import Rejection

LINE = "377,117,463,117,465,130,378,130,Genaxis Theatre"
GBK = os.fsdecode("发票".encode("gbk"))
POINTS = ((377.0, 117.0), (463.0, 117.0), (465.0, 130.0), (378.0, 130.0))


def parse(
    content: str, *, name: str = "gt_img_1.txt", images: Sequence[str] = ("img_1.jpg",)
) -> RawPage:
    (page,) = parse_icdar2015(
        [(name, content)], images=frozenset(images), folder="train", split="test"
    )
    assert not isinstance(page, Rejection)
    return page


def test_region_has_eight_coordinates_and_a_text() -> None:
    page = parse(f"{LINE}\r\n\r\n")

    label = RawPageLabel((RawRegion(POINTS, "Genaxis Theatre"),))
    assert page == Row("train/img_1.jpg", label, "test", "", "train", "train/gt_img_1.txt")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_are_those_of_any_system_and_no_others(end: str) -> None:
    regions = parse(end.join([LINE, "", "0,0,9,0,9,5,0,5,A\u2028B", ""])).label.regions

    assert [region.text for region in regions] == ["Genaxis Theatre", "A\u2028B"]


def test_text_may_hold_commas() -> None:
    assert parse("0,0,9,0,9,5,0,5,1,000.00, net").label.regions[0].text == "1,000.00, net"


@pytest.mark.parametrize("text", ["###", "*"])
def test_dont_care_is_ignored(text: str) -> None:
    (region,) = parse(f"0,0,9,0,9,5,0,5,{text}").label.regions

    assert (region.text, region.ignored) == ("", True)


@pytest.mark.parametrize(
    ("name", "images", "image"),
    [
        ("gt_a.txt", ["a.png", "b.jpg"], "train/a.png"),
        ("X51.txt", ["X51.JPG"], "train/X51.JPG"),
        ("gt_a.TXT", ["a.jpg"], "train/a.jpg"),
        ("gt_a.txt", [], "train/a.jpg"),
        (f"gt_{GBK}.txt", [f"{GBK}.png"], "train/发票.png"),
        ("gt_\udcff.txt", ["\udcff.png"], "train/\udcff.png"),
    ],
)
def test_image_has_the_name_of_the_text_file(name: str, images: list[str], image: str) -> None:
    assert parse("", name=name, images=images).image == image


@pytest.mark.parametrize("other", ["two.jpg", "two.Jpg"])
def test_text_file_that_may_be_of_two_images_is_rejected_and_the_next_read(other: str) -> None:
    images = frozenset(["two.png", other, "one.png", "two.md"])
    files = [("two.txt", LINE), ("one.txt", LINE)]

    two, one = parse_icdar2015(files, images=images, folder="train", split=None)

    assert isinstance(two, Rejection)
    assert (two.reason, two.where) == ("missing_image", "train/two.txt")
    assert two.detail == (
        f"the text file of {other!r} or 'two.png'; take the others out of the folder"
    )
    assert not isinstance(one, Rejection)
    assert one.image == "train/one.png"


@pytest.mark.parametrize(
    "line",
    ["0,0,9,0,9,5,0,A", "0,0,9,0,9,5,0,x,A", "A", "0,0,9,0,9,5,0,inf,A", "0,0,9,5,A,B,C,D,E"],
)
def test_line_of_another_form_says_so_and_the_next_is_read(line: str) -> None:
    first, second = parse(f"{line}\n{LINE}").label.regions

    assert first.fault is not None
    assert first.fault.reason == "malformed_region"
    assert second.points == POINTS
