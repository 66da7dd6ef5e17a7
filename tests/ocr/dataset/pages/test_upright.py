"""Pages lie as their labels say together, and stay as they are where those say nothing."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import open_page_snapshot
from ocr.dataset.pages.upright import find_turn
from ocr.evaluation.suspects.crops import crops_of_pages
from ocr.image.pixels import encode_png
from ocr.image.turning import BACK, ROTATIONS, Rotation, turn_image, turn_points
from ocr.store import Store
from ocr.store.folder import download_folder
from tests.ocr.dataset.pages import preparing
from tests.ocr.dataset.pages.invoices import cut, fetch, prepare
from tests.ocr.dataset.pages.sheets import add_row, draw_page, entry

TEXTS = ["FIRST LINE", "SECOND 22", "THIRD 333", "4"]
Quads = Sequence[tuple[int, int]]
WIDE, TALL, SQUARE = (120, 20), (20, 120), (24, 22)


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_lines_of_a_turned_page_are_cut_out_as_those_of_an_upright_one(
    store: Store, tmp_path: Path, rotation: Rotation
) -> None:
    write_sheets(tmp_path / "upright", 0)
    write_sheets(tmp_path / "turned", BACK[rotation])

    upright, turned = (
        {
            (line.split, line.image, line.text): snapshot.image_bytes(line)
            for line in snapshot.samples()
        }
        for folder in ("upright", "turned")
        for snapshot in [fetch(store, cut(store, tmp_path / folder), tmp_path)]
    )

    assert turned == upright
    assert len(upright) == 3 * len(TEXTS)


def test_a_copy_of_a_test_page_is_found_where_its_labels_do_not_say_how_it_lies(
    store: Store, tmp_path: Path
) -> None:
    root = tmp_path / "data"
    write_sheets(root, 180)
    (root / "again.png").write_bytes((root / "test.png").read_bytes() + b"\0")
    entries = (root / "test.txt").read_text().partition("\t")[2]
    as_it_lies = [{**e, "points": e["points"][2:] + e["points"][:2]} for e in json.loads(entries)]
    with (root / "train.txt").open("a") as file:
        file.write(f"again.png\t{json.dumps(as_it_lies)}\n")
    labels = PageLabelFiles("paddleocr", root, "train.txt", "val.txt", "test.txt")

    made = preparing.prepare(store, root, labels=labels)

    (found,) = made.quarantine
    assert (found.reason, found.examples[0].image) == ("near_image_in_two_splits", "again.png")


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_a_page_of_test_that_lies_otherwise_is_kept_out_of_train(
    store: Store, tmp_path: Path, rotation: Rotation
) -> None:
    root, again = tmp_path / "data", tmp_path / "again"
    write_sheets(root, 180)
    write_sheets(again, rotation)
    (again / "test.png").rename(root / "again.png")
    row = (again / "test.txt").read_text().replace("test.png", "again.png")
    (root / "train.txt").write_text((root / "train.txt").read_text() + row)
    labels = PageLabelFiles("paddleocr", root, "train.txt", "val.txt", "test.txt")

    made = preparing.prepare(store, root, labels=labels)

    (found,) = made.quarantine
    assert found.reason.endswith("_image_in_two_splits")
    assert found.examples[0].image == "again.png"


def test_doubted_lines_of_a_page_upside_down_are_upright(store: Store, tmp_path: Path) -> None:
    shown = []
    write_sheets(tmp_path / "upright", 0)
    write_sheets(tmp_path / "turned", 180)

    for folder in ("upright", "turned"):
        made = prepare(store, tmp_path / folder)
        pages = open_page_snapshot(
            download_folder(store, prefix=made.key, folder=tmp_path / made.digest)
        )
        shown.append([(label.text, crop) for label, crop in crops_of_pages(pages, "test")])

    for (text, crop), (other_text, other_crop) in zip(*shown, strict=True):
        assert other_text == text
        np.testing.assert_array_equal(other_crop, crop)


@pytest.mark.parametrize(
    ("sizes", "starts"),
    [
        ([WIDE] * 8, [0, 2, 2, 0, 2, 0, 2, 2]),  # begun anywhere
        ([WIDE] * 8, [0, 1, 2, 3, 0, 1, 2, 3]),
        ([*[WIDE] * 7, TALL], [3] * 8),  # as OpenCV begins: at the lower left
        ([*[WIDE] * 7, TALL], [1] * 8),
        ([TALL] * 6, [0] * 6),  # columns
        ([TALL] * 6, [2] * 6),
        ([SQUARE] * 6, [2] * 6),
        ([WIDE] * 2, [2] * 2),
        ([WIDE] * 8, [0, 0, 0, 0, 0, 2, 2, 2]),
        ([], []),
    ],
)
def test_pages_stay_where_their_labels_do_not_agree(sizes: Quads, starts: Sequence[int]) -> None:
    assert find_turn(begin(sizes, starts)) == 0


def test_a_few_lines_on_their_side_do_not_turn_what_has_no_say() -> None:
    headers = turn(270, begin([WIDE] * 4, [0] * 4))

    assert find_turn(headers) == 90
    assert find_turn([*headers, *begin([SQUARE] * 9, [0] * 9)]) == 0


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_some_tall_and_square_quads_and_one_that_begins_elsewhere_do_not_mislead(
    rotation: Rotation,
) -> None:
    upright = begin([*[WIDE] * 6, TALL, TALL, SQUARE], [0, 0, 0, 0, 0, 2, 0, 0, 1])
    curved = Region(((0, 50), (50, 40), (99, 50), (99, 70), (50, 60), (0, 70)), "C")

    assert find_turn(turn(BACK[rotation], [*upright, curved])) == rotation


def test_lines_that_slope_lie_as_the_nearest_quarter() -> None:
    steep = np.array([(0, 0), (100, -60), (110, -43), (10, 17)]) @ np.array([(0, 1), (-1, 0)])

    polygon = tuple((float(x), float(y)) for x, y in steep)

    assert find_turn([Region(polygon, "A")] * 3) == 270


def begin(sizes: Quads, starts: Sequence[int]) -> list[Region]:
    """Quads of an upright page, each with its corners from the upper left rolled so often."""
    boxes = [[(9, 9), (9 + w, 9), (9 + w, 9 + h), (9, 9 + h)] for w, h in sizes]
    return [Region(tuple(box[at:] + box[:at]), "A") for box, at in zip(boxes, starts, strict=True)]


def turn(rotation: Rotation, regions: Sequence[Region]) -> list[Region]:
    return [
        replace(region, polygon=tuple((x, y) for x, y in points.tolist()))
        for region in regions
        for points in [
            turn_points(np.array(region.polygon, float), rotation, width_px=300, height_px=200)
        ]
    ]


def write_sheets(root: Path, rotation: Rotation) -> None:
    """Write a page a split, all turned, with label files whose quads begin where reading does."""
    root.mkdir()
    for seed, split in enumerate(("train", "val", "test")):
        page = draw_page(TEXTS, seed=seed)
        height_px, width_px = page.shape[:2]
        (root / f"{split}.png").write_bytes(encode_png(turn_image(page, rotation)))
        entries = [entry(text, line) for line, text in enumerate(TEXTS)]
        entries[-1] = entry("4", 3, width=30)
        for each in entries:
            points = np.array(each["points"], float)
            turned = turn_points(points, rotation, width_px=width_px, height_px=height_px)
            each["points"] = turned.tolist()
        add_row(root, f"{split}.txt", f"{split}.png", entries)
