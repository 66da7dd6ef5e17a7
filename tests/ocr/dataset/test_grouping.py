"""Groups by the path of an image, and by fields, whatever the format of the labels."""

import json
from pathlib import Path

import pytest

from ocr.dataset.labels.split_files import SplitFiles
from ocr.dataset.lines.labels import Columns, LineLabelFiles
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.labels.raw import read_group
from ocr.dataset.quarantine import Rejection
from ocr.errors import BadData, BadInput
from tests.ocr.image.pictures import write_labels

IMAGES = ["a1/0.png", "a1/1.png", "b2/0.png", "loose.png"]
BY_FOLDER = {"a1/0.png": "1", "a1/1.png": "1", "b2/0.png": "2", "loose.png": ""}
PATTERN = r"[ab](\d)/"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Images, and label files of every format that name them."""
    write_labels(tmp_path, "rec.txt", dict.fromkeys(IMAGES, "T"))
    (tmp_path / "t.csv").write_text("image,text\n" + "".join(f"{i},T\n" for i in IMAGES))
    (tmp_path / "det.txt").write_text("".join(f"{image}\t[]\n" for image in IMAGES))
    coco = [{"id": at, "file_name": i, "doc": f"d{at // 2}"} for at, i in enumerate(IMAGES)]
    (tmp_path / "coco.json").write_text(json.dumps({"images": coco, "annotations": []}))
    tasks = [
        {"data": {"ocr": image, "doc": at // 2}, "annotations": [{"result": []}]}
        for at, image in enumerate(IMAGES)
    ]
    (tmp_path / "ls.json").write_text(json.dumps(tasks))
    return tmp_path


def groups_of(labels: SplitFiles) -> dict[str, str]:  # type: ignore[type-arg]
    rows = list(labels.read())
    return {row.image: row.group for row in rows if not isinstance(row, Rejection)}


@pytest.mark.parametrize(
    ("kind", "name"), [("paddleocr", "rec.txt"), ("table", "t.csv"), ("folder", "")]
)
def test_path_gives_lines_of_every_format_their_group(kind: str, name: str, root: Path) -> None:
    labels = LineLabelFiles(kind, root, name, group_pattern=PATTERN)  # type: ignore[arg-type]

    assert groups_of(labels) == BY_FOLDER


@pytest.mark.parametrize(
    ("kind", "name"), [("paddleocr", "det.txt"), ("coco", "coco.json"), ("labelstudio", "ls.json")]
)
def test_path_gives_pages_their_group(kind: str, name: str, root: Path) -> None:
    labels = PageLabelFiles(kind, root, name, group_pattern=PATTERN)  # type: ignore[arg-type]

    assert groups_of(labels) == BY_FOLDER


def test_path_gives_pages_of_folders_and_projects_their_group(root: Path) -> None:
    for image in IMAGES[:2]:
        (root / image).with_suffix(".txt").write_text("")
    (root / "a1/Label.txt").write_text("a1/0.png\t[]\na1/1.png\t[]\n")

    for kind, name in (("icdar2015", "a1"), ("ppocrlabel", "a1/Label.txt")):
        labels = PageLabelFiles(kind, root, name, group_pattern=r"\d\.png")  # type: ignore[arg-type]

        found = groups_of(labels)

        assert {image: found[image] for image in IMAGES[:2]} == {
            "a1/0.png": "0.png",
            "a1/1.png": "1.png",
        }


@pytest.mark.parametrize(
    ("kind", "name", "names"),
    [("coco", "coco.json", ["d0", "d1"]), ("labelstudio", "ls.json", ["0", "1"])],
)
def test_field_names_the_group_of_a_page(
    kind: str, name: str, names: list[str], root: Path
) -> None:
    labels = PageLabelFiles(kind, root, name, group_field="doc")  # type: ignore[arg-type]

    assert list(groups_of(labels).values()) == [names[0], names[0], names[1], names[1]]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("d1 ", "d1"),
        (17, "17"),
        (17.0, "17"),
        (1.5, "1.5"),
        (True, "true"),
        (["d", 1], '["d", 1]'),
        (None, ""),
        (float("nan"), ""),
        (" ", ""),
    ],
)
def test_field_of_any_type_names_a_group(written: object, name: str) -> None:
    assert read_group({"doc": written}, "doc") == name


def test_pattern_that_matches_no_image_names_one(root: Path) -> None:
    labels = LineLabelFiles("paddleocr", root, "rec.txt", group_pattern="page_(.*)")

    with pytest.raises(BadData, match=r"group_pattern 'page_\(\.\*\)' .* not 'a1/0\.png'"):
        list(labels.read())


def test_field_that_no_image_has_names_one(root: Path) -> None:
    with pytest.raises(BadData, match=r"group_field 'dco' .* not 'a1/0\.png'"):
        list(PageLabelFiles("coco", root, "coco.json", group_field="dco").read())


def test_what_is_no_pattern_or_asks_twice_is_wrong_usage(root: Path) -> None:
    with pytest.raises(BadInput, match=r"group_pattern '\(' is no regular expression: missing"):
        LineLabelFiles("paddleocr", root, "rec.txt", group_pattern="(")
    with pytest.raises(BadInput, match="group_pattern or group_column 'doc', not both"):
        LineLabelFiles("table", root, "t.csv", group_pattern="a", columns=Columns(group="doc"))
    with pytest.raises(BadInput, match="group_field needs labelstudio or coco"):
        PageLabelFiles("paddleocr", root, "det.txt", group_field="doc")
