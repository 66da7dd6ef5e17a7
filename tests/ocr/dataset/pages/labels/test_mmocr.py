import json
from pathlib import Path

from ocr.dataset.pages.labels import PageLabelFiles, RawPage, RawRegion
from ocr.dataset.quarantine import Rejection

POLYGON = [1, 2, 30, 2, 30, 9, 1, 9]
CORNERS = ((1.0, 2.0), (30.0, 2.0), (30.0, 9.0), (1.0, 9.0))


def read(root: Path, *items: object) -> list[RawPage | Rejection]:
    (root / "det.json").write_text(json.dumps({"metainfo": {}, "data_list": items}))
    return list(PageLabelFiles("mmocr", root, "det.json").read())


def regions(root: Path, *instances: object) -> tuple[RawRegion, ...]:
    (page,) = read(root, {"img_path": "a.png", "instances": instances})
    assert not isinstance(page, Rejection)
    return page.label.regions


def test_pages_have_their_regions_and_their_size(tmp_path: Path) -> None:
    instance = {"polygon": POLYGON, "bbox": [0, 0, 1, 1], "bbox_label": 0, "text": " SUM "}
    item = {"img_path": "a.png", "height": 20, "width": 40, "instances": [instance]}

    (page,) = read(tmp_path, item)

    assert not isinstance(page, Rejection)
    assert (page.image, page.label.size, page.where) == ("a.png", (40, 20), "det.json image 1")
    assert page.label.regions == (RawRegion(CORNERS, "SUM"),)


def test_a_box_stands_in_for_a_polygon(tmp_path: Path) -> None:
    (region,) = regions(tmp_path, {"bbox": [1, 2, 30, 9], "text": "A"})

    assert region == RawRegion(CORNERS, "A", starts_reading=False)


def test_ignored_and_illegible_regions_are_marked(tmp_path: Path) -> None:
    found = regions(
        tmp_path,
        {"polygon": POLYGON, "text": "A", "ignore": True},
        {"polygon": POLYGON, "text": "###"},
        {"polygon": POLYGON, "ignore": False},
    )

    assert [(region.ignored, region.text) for region in found] == [
        (True, "A"),
        (True, ""),
        (False, ""),
    ]


def test_faulty_regions_stay_with_what_encloses_them(tmp_path: Path) -> None:
    found = regions(
        tmp_path,
        {"polygon": POLYGON[:7], "bbox": [1, 2, 30, 9]},
        {"polygon": "none"},
        {},
        {"bbox": [1, 2, 30, None]},
        "A",
    )

    assert [region.fault.reason if region.fault else "" for region in found] == [
        "malformed_region"
    ] * 5
    assert found[0].points == CORNERS
    assert found[1].points == ()


def test_bad_items_are_rejected_with_their_number(tmp_path: Path) -> None:
    rows = read(tmp_path, {"img_path": "a.png"}, [], {"img_path": " ", "instances": []})

    assert [(row.where, getattr(row, "reason", "")) for row in rows] == [
        (f"det.json image {number}", "malformed_row") for number in (1, 2, 3)
    ]
