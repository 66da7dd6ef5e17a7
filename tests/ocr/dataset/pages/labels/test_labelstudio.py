import json
from typing import Any

import pytest

from ocr.dataset.candidate import Row
from ocr.dataset.pages.labels import RawPage, RawPageLabel, RawRegion
from ocr.dataset.pages.labels.labelstudio import parse_labelstudio
from ocr.dataset.pages.labels.labelstudio_paths import ImageFinder
from ocr.dataset.quarantine import Rejection
from ocr.errors import BadData

FINDER = ImageFinder(exists=lambda image: True, list_files=list)
SIZE = {"original_width": 200, "original_height": 100, "image_rotation": 0}
BOX = {"x": 10, "y": 20, "width": 50, "height": 10, "rotation": 0}
CORNERS = ((20, 20), (120, 20), (120, 30), (20, 30))
POLYGON = {"points": [[10, 20], [60, 20], [60, 30], [10, 30]]}


def result(kind: str, value: dict[str, Any], *, key: str = "r1") -> dict[str, Any]:
    return {"id": key, "type": kind, "value": value, **SIZE}


def region(value: dict[str, Any], *, text: str = "", label: str = "Text") -> list[dict[str, Any]]:
    """As the OCR template writes it: three results of one id."""
    found = [result("rectangle", value), result("labels", {**value, "labels": [label]})]
    return [*found, result("textarea", {**value, "text": [text]})] if text else found


def task(results: list[Any], **more: object) -> dict[str, Any]:
    return {
        "id": 5,
        "data": {"ocr": "1.jpg"},
        "annotations": [{"id": 1, "result": results}],
        **more,
    }


def parse(*tasks: object) -> list[RawPage | Rejection]:
    content = json.dumps(tasks)
    return list(parse_labelstudio(content, name="ls.json", split="val", finder=FINDER))


def read(results: list[Any]) -> RawRegion:
    (page,) = parse(task(results))
    assert not isinstance(page, Rejection)
    (found,) = page.label.regions
    return found


def test_results_of_one_id_are_one_region_in_pixels() -> None:
    (page,) = parse(task(region(BOX, text="A 1")))

    label = RawPageLabel((RawRegion(CORNERS, "A 1"),), size=(200, 100))
    assert page == Row("1.jpg", label, "val", "", "ls.json", "ls.json task 1")


@pytest.mark.parametrize(
    "results",
    [
        [result("rectanglelabels", {**BOX, "rectanglelabels": ["Text"]})],
        [result("polygonlabels", {**POLYGON, "polygonlabels": ["Text"]})],
        [result("polygon", POLYGON), result("labels", {**POLYGON, "labels": ["Text"]})],
        [result("labels", {**BOX, "labels": ["Text"]}), result("textarea", {"text": "A"})],
    ],
)
def test_rectangles_and_polygons_are_read_with_and_without_labels(results: list[Any]) -> None:
    assert read(results).points == CORNERS


@pytest.mark.parametrize(
    ("value", "key", "starts_reading"),
    [(BOX, "r1", True), (POLYGON, "r1", False), (POLYGON, "region-12", True)],
)
def test_a_rectangle_and_a_polygon_of_ours_say_where_reading_begins(
    value: dict[str, Any], key: str, starts_reading: bool
) -> None:
    assert read([result("polygon", value, key=key)]).starts_reading == starts_reading


def test_rotation_is_clockwise_about_the_first_corner_in_pixels() -> None:
    corners = read(region({**BOX, "rotation": 90})).points

    flat = [coordinate for corner in corners for coordinate in corner]
    assert flat == pytest.approx([20, 20, 20, 120, 10, 120, 10, 20])


@pytest.mark.parametrize(("text", "label"), [("###", "Text"), ("A", "Ignored"), ("", "Illegible")])
def test_dont_care_is_ignored(text: str, label: str) -> None:
    found = read(region(BOX, text=text, label=label))

    assert found.ignored
    assert found.text == ("" if text == "###" else text)


@pytest.mark.parametrize(
    "results",
    [
        [result("ellipselabels", {"x": 1, "y": 1, "radiusX": 3, "radiusY": 2})],
        [result("rectangle", {**BOX, "width": None})],
        [result("rectangle", {key: BOX[key] for key in ("y", "width", "height")})],
        [result("polygon", {"points": [[1]]})],
        [result("keypoint", {"x": 1, "y": 1})],
    ],
)
def test_other_shapes_say_what_is_wrong(results: list[Any]) -> None:
    fault = read(results).fault

    assert fault is not None
    assert fault.reason == "malformed_region"


def test_place_of_an_ellipse_is_the_rectangle_round_it() -> None:
    ellipse = {"x": 50, "y": 50, "radiusX": 20, "radiusY": 10, "rotation": 90}

    corners = read([result("ellipse", ellipse)]).points

    flat = [coordinate for corner in corners for coordinate in corner]
    assert flat == pytest.approx([110, 10, 110, 90, 90, 90, 90, 10])


@pytest.mark.parametrize(
    "other",
    [
        {"id": "r2", "value": BOX},
        {"id": "r2", "value": BOX, "original_width": 400, "original_height": 200},
    ],
)
def test_first_size_of_a_page_serves_all_its_regions(other: dict[str, Any]) -> None:
    whole = {**result("rectangle", BOX), "original_width": 200.0, "original_height": 100.0}

    (page,) = parse(task([whole, other]))

    assert not isinstance(page, Rejection)
    assert page.label.size == (200, 100)
    assert [region.points for region in page.label.regions] == [CORNERS, CORNERS]


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([{"id": "r1", "value": BOX}], "original_width"),
        ([{**result("rectangle", BOX), "original_width": 0}], "original_width"),
        ([{**result("rectangle", BOX), "original_height": 99.5}], "original_width"),
        ([result("rectangle", BOX), result("brush", {"rle": [1, 2]}, key="r2")], "brush mask"),
        ([result("bitmask", {"imageDataURL": "data:image/png;base64,"})], "brush mask"),
        ([result("vector", {"vertices": [{"x": 1, "y": 1}]})], "vector"),
    ],
)
def test_page_is_rejected_whose_text_is_nobody_knows_where(results: list[Any], said: str) -> None:
    (found,) = parse(task(results))

    assert isinstance(found, Rejection)
    assert found.reason == "malformed_row"
    assert said in found.detail


def test_text_of_the_whole_page_is_no_region() -> None:
    (page,) = parse(task([result("choices", {"choices": ["invoice"]}), "x", {"type": "relation"}]))

    assert not isinstance(page, Rejection)
    assert page.label.regions == ()


@pytest.mark.parametrize(
    ("annotations", "text"),
    [
        (
            [
                {"id": 3, "result": region(BOX, text="old")},
                {"id": 9, "result": region(BOX, text="new")},
            ],
            "new",
        ),
        (
            [
                {"id": 3, "result": region(BOX, text="truth"), "ground_truth": True},
                {"id": 9, "result": region(BOX, text="new")},
            ],
            "truth",
        ),
        (
            [
                {"id": 3, "result": region(BOX, text="kept")},
                {"id": 9, "result": region(BOX, text="x"), "was_cancelled": True},
            ],
            "kept",
        ),
        (
            [
                {
                    "id": 3,
                    "result": region(BOX, text="corrected"),
                    "updated_at": "2026-11-20T09:00:00Z",
                },
                {"id": 9, "result": region(BOX, text="x"), "updated_at": "2026-11-02T08:59:59.9Z"},
            ],
            "corrected",
        ),
    ],
)
def test_one_annotation_of_several_counts(annotations: list[Any], text: str) -> None:
    (page,) = parse(task([], annotations=annotations))

    assert not isinstance(page, Rejection)
    assert [each.text for each in page.label.regions] == [text]


@pytest.mark.parametrize("annotations", [[], [{"result": [], "was_cancelled": True}], ["x"]])
def test_task_nobody_annotated_is_rejected(annotations: list[Any]) -> None:
    (found,) = parse(task([], annotations=annotations))

    assert isinstance(found, Rejection)
    assert (found.reason, found.where) == ("unconfirmed_page", "ls.json task 1")


@pytest.mark.parametrize(
    "bad",
    [
        "x",
        {"image": "1.jpg", "bbox": [BOX]},
        {"data": {}, "annotations": []},
        {"data": {"text": "no image"}, "annotations": []},
        {"data": {"image": 5}, "annotations": []},
        task([{**result("rectangle", BOX), "image_rotation": 90}]),
    ],
)
def test_task_of_another_form_is_rejected_and_the_next_read(bad: object) -> None:
    first, second = parse(bad, task([]))

    assert isinstance(first, Rejection)
    assert first.reason == "malformed_row"
    assert not isinstance(second, Rejection)


def test_page_that_was_turned_is_rejected_with_the_way_out() -> None:
    (row,) = parse(task([{**result("rectangle", BOX), "image_rotation": 90}]))

    assert isinstance(row, Rejection)
    assert "turned by 90 in Label Studio, expected 0: turn it back there, or turn" in row.detail


@pytest.mark.parametrize("content", ["", "{}", "[" * 100_000])
def test_other_files_are_refused(content: str) -> None:
    with pytest.raises(BadData, match=r"ls\.json"):
        list(parse_labelstudio(content, name="ls.json", split=None, finder=FINDER))


def test_labels_of_another_source_are_told_so() -> None:
    with pytest.raises(
        BadData, match=r"corrected\.txt is no JSON, as labels of the dataset's source"
    ):
        list(parse_labelstudio("a.jpg\t[]", name="corrected.txt", split=None, finder=FINDER))


def test_upload_that_may_be_of_several_files_is_refused_with_their_names() -> None:
    upload = task([], data={"ocr": "/data/upload/3/1a2b3c4d-%E5%8F%91%E7%A5%A82.png"})
    finder = ImageFinder(
        exists=lambda image: False, list_files=lambda: ["发票2.png", "发票（2）.png"]
    )

    (found,) = parse_labelstudio(json.dumps([upload]), name="ls.json", split=None, finder=finder)

    assert isinstance(found, Rejection)
    assert found.reason == "missing_image"
    assert "'发票2.png' or '发票（2）.png'" in found.detail
