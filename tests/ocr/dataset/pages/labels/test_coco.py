import json
from typing import Any

import pytest

from ocr.dataset.candidate import Row
from ocr.dataset.pages.labels import RawPage, RawPageLabel, RawRegion
from ocr.dataset.pages.labels.coco import parse_coco
from ocr.dataset.quarantine import Reason, Rejection
from ocr.errors import BadData

IMAGE = {"id": 7, "file_name": "a/1.jpg", "width": 640, "height": 480}
FLAT = [0, 1, 9, 1, 9, 5, 0, 5]
POINTS = ((0, 1), (9, 1), (9, 5), (0, 5))


def parse(images: list[Any], annotations: list[Any]) -> list[RawPage | Rejection]:
    content = json.dumps({"images": images, "annotations": annotations})
    return list(parse_coco(content, name="c.json", split="val"))


def read(**annotation: object) -> RawRegion:
    (page,) = parse([IMAGE], [{"image_id": 7, **annotation}])
    assert not isinstance(page, Rejection)
    (region,) = page.label.regions
    return region


def test_page_has_its_regions_and_size() -> None:
    (page,) = parse([IMAGE], [{"image_id": 7, "segmentation": [FLAT], "text": " A 1 "}])

    label = RawPageLabel((RawRegion(POINTS, "A 1", starts_reading=False),), size=(640, 480))
    assert page == Row("a/1.jpg", label, "val", "", "c.json", "c.json image 7")


@pytest.mark.parametrize(
    "said",
    [
        {"text": "A"},
        {"transcription": "A"},
        {"caption": "A"},
        {"utf8_string": "A"},
        {"attributes": {"text": "A"}},
        {"attributes": {"occluded": False, "transcription": "A"}},
    ],
)
def test_text_is_found_where_tools_put_it(said: dict[str, object]) -> None:
    assert read(segmentation=[FLAT], **said).text == "A"


@pytest.mark.parametrize(
    "said",
    [
        {"iscrowd": 1},
        {"ignore": True},
        {"attributes": {"difficult": True}},
        {"attributes": {"illegible": True}},
        {"legibility": "illegible"},
        {"text": "###"},
    ],
)
def test_dont_care_is_ignored(said: dict[str, object]) -> None:
    region = read(segmentation=[FLAT], **said)

    assert (region.ignored, region.text, region.fault) == (True, "", None)


@pytest.mark.parametrize("shape", [{"segmentation": FLAT}, {"bbox": [0, 1, 9, 4]}])
def test_flat_polygon_and_box_are_read(shape: dict[str, object]) -> None:
    assert read(**shape).points == POINTS


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ({}, "empty_polygon"),
        ({"segmentation": []}, "empty_polygon"),
        ({"segmentation": [[0, 1, 9]]}, "malformed_region"),
        ({"segmentation": [["0", "1"]]}, "malformed_region"),
        ({"segmentation": 5}, "malformed_region"),
        ({"segmentation": {"counts": [1], "size": [4, 4]}}, "malformed_region"),
        ({"segmentation": [FLAT, FLAT]}, "malformed_region"),
    ],
)
def test_other_shapes_say_what_is_wrong(shape: dict[str, object], reason: Reason) -> None:
    fault = read(**shape, text="A").fault

    assert fault is not None
    assert fault.reason == reason


def test_mask_with_a_box_says_where_it_is() -> None:
    region = read(segmentation={"counts": [1], "size": [4, 4]}, bbox=[0, 1, 9, 4])

    assert region.fault is not None
    assert region.points == POINTS


def test_image_without_annotations_is_a_page_without_text() -> None:
    (page,) = parse([IMAGE], [])

    assert not isinstance(page, Rejection)
    assert page.label.regions == ()


@pytest.mark.parametrize(
    ("images", "annotations"),
    [
        ([IMAGE, IMAGE], []),
        ([IMAGE, {"id": 8}], []),
        ([IMAGE, {"file_name": "b.jpg"}], []),
        ([IMAGE, "b.jpg"], []),
        ([IMAGE], [{"image_id": 8, "segmentation": [FLAT]}]),
        ([IMAGE], [{"segmentation": [FLAT]}]),
        ([IMAGE], ["x"]),
    ],
)
def test_what_belongs_nowhere_is_rejected_and_the_page_read(
    images: list[Any], annotations: list[Any]
) -> None:
    found = parse(images, annotations)

    assert [each.reason for each in found if isinstance(each, Rejection)] == ["malformed_row"]
    assert sum(not isinstance(each, Rejection) for each in found) == 1


def test_images_of_one_id_are_rejected_with_their_names_and_the_others_read() -> None:
    """As where the images of a second file, whose ids began anew, were put behind the first's."""
    second, other = {**IMAGE, "file_name": "b/1.jpg"}, {**IMAGE, "id": 8, "file_name": "c.jpg"}
    annotations = [
        {"image_id": key, "segmentation": [FLAT], "text": text}
        for key, text in ((7, "A"), (8, "B"), (7, "C"))
    ]

    first, again, page = parse([IMAGE, other, second], annotations)

    assert isinstance(first, Rejection)
    assert isinstance(again, Rejection)
    assert (first.where, first.reason) == ("c.json image 1", "malformed_row")
    assert "its id 7 is also that of 'b/1.jpg': give every image an id of its own" in first.detail
    assert (again.where, again.reason) == ("c.json image 3", "malformed_row")
    assert "its id 7 is also that of 'a/1.jpg'" in again.detail
    assert not isinstance(page, Rejection)
    assert (page.image, [region.text for region in page.label.regions]) == ("c.jpg", ["B"])


def test_image_whose_id_another_without_a_name_has_is_rejected() -> None:
    first, nameless = parse([IMAGE, {"id": 7, "file_name": None}], [])

    assert isinstance(first, Rejection)
    assert isinstance(nameless, Rejection)
    assert "its id 7 is also that of an image without file_name" in first.detail


@pytest.mark.parametrize("spelled", ["a/1.jpg", "./a/1.jpg", "a\\1.jpg", "a/1.jpg "])
def test_image_that_is_listed_twice_is_one_with_all_its_annotations(spelled: str) -> None:
    annotations = [{"image_id": 7, "segmentation": [FLAT], "text": text} for text in "AB"]

    again, page = parse([IMAGE, {**IMAGE, "file_name": spelled}], annotations)

    assert isinstance(again, Rejection)
    assert again.detail == "there is another image 7"
    assert not isinstance(page, Rejection)
    assert [region.text for region in page.label.regions] == ["A", "B"]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"images": []}', "[" * 100_000])
def test_other_files_are_refused(content: str) -> None:
    with pytest.raises(BadData, match=r"c\.json"):
        list(parse_coco(content, name="c.json", split=None))
