import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.labels.files import PageLabelKind
from ocr.dataset.quarantine import Rejection
from ocr.errors import ArtifactNotFound, BadData

BOX = [[0, 1], [9, 1], [9, 5], [0, 5]]
ENTRIES = json.dumps([{"transcription": "A", "points": BOX}])


def write_paddleocr(folder: Path) -> str:
    (folder / "det.txt").write_text(f"img/1.jpg\t{ENTRIES}\n")
    return "det.txt"


def write_ppocrlabel(folder: Path) -> str:
    (folder / "img").mkdir()
    (folder / "img/Label.txt").write_text(f"elsewhere/1.jpg\t{ENTRIES}\n")
    (folder / "img/fileState.txt").write_text("elsewhere/1.jpg\t1\n")
    return "img/Label.txt"


def write_icdar2015(folder: Path) -> str:
    (folder / "img").mkdir()
    (folder / "img/gt_1.txt").write_text("\ufeff0,1,9,1,9,5,0,5,A\n", encoding="utf-8")
    (folder / "img/1.jpg").touch()
    return "img"


def write_coco(folder: Path) -> str:
    annotation = {"image_id": 1, "segmentation": [[0, 1, 9, 1, 9, 5, 0, 5]], "text": "A"}
    content = {"images": [{"id": 1, "file_name": "img/1.jpg"}], "annotations": [annotation]}
    (folder / "coco.json").write_text(json.dumps(content))
    return "coco.json"


def write_labelstudio(folder: Path) -> str:
    (folder / "img").mkdir()
    (folder / "img/1.jpg").touch()
    value = {"points": [[0, 1], [9, 1], [9, 5], [0, 5]], "text": ["A"]}
    result = {"id": "r", "value": value, "original_width": 100, "original_height": 100}
    task = {"data": {"image": "/data/upload/img/1.jpg"}, "annotations": [{"result": [result]}]}
    (folder / "ls.json").write_text(json.dumps([task]))
    return "ls.json"


WRITERS: dict[PageLabelKind, Callable[[Path], str]] = {
    "paddleocr": write_paddleocr,
    "ppocrlabel": write_ppocrlabel,
    "icdar2015": write_icdar2015,
    "coco": write_coco,
    "labelstudio": write_labelstudio,
}


@pytest.mark.parametrize("kind", WRITERS)
def test_every_format_gives_the_same_page(kind: PageLabelKind, tmp_path: Path) -> None:
    name = WRITERS[kind](tmp_path)

    (page,) = PageLabelFiles(kind, tmp_path, train=name).read()

    assert not isinstance(page, Rejection)
    assert (page.image, page.split) == ("img/1.jpg", None)
    assert [(r.points, r.text, r.fault) for r in page.label.regions] == [
        (((0, 1), (9, 1), (9, 5), (0, 5)), "A", None)
    ]


@pytest.mark.parametrize("kind", ["ppocrlabel", "labelstudio"])
def test_rounds_whose_images_are_called_alike_keep_their_own(
    kind: PageLabelKind, tmp_path: Path
) -> None:
    (tmp_path / "may").mkdir()
    (tmp_path / "june").mkdir()
    may, june = (f"{name}/{WRITERS[kind](tmp_path / name)}" for name in ("may", "june"))

    pages = list(PageLabelFiles(kind, tmp_path, train=may, val=june).read())

    assert [page.image for page in pages] == ["may/img/1.jpg", "june/img/1.jpg"]


def test_local_storage_of_windows_leads_to_the_image_below_its_leading_folders(
    tmp_path: Path,
) -> None:
    name = write_labelstudio(tmp_path)
    written = (tmp_path / name).read_text()
    reference = "/data/local-files/?d=may%5Cimg%5C1.jpg"
    (tmp_path / name).write_text(written.replace("/data/upload/img/1.jpg", reference))

    files = PageLabelFiles("labelstudio", tmp_path, train=name)
    (page,) = files.read()

    assert not isinstance(page, Rejection)
    with files.place().images() as images:
        assert images.exists(page.image)


@pytest.mark.parametrize("kind", WRITERS)
def test_no_path_of_the_machine_gets_into_pages(kind: PageLabelKind, tmp_path: Path) -> None:
    name = WRITERS[kind](tmp_path)

    (page,) = PageLabelFiles(kind, tmp_path, train=str(tmp_path / name)).read()

    assert not isinstance(page, Rejection)
    assert str(tmp_path) not in repr(page)
    assert page.image == "img/1.jpg"


@pytest.mark.parametrize("kind", WRITERS)
def test_fingerprint_follows_the_content_of_the_labels(kind: PageLabelKind, tmp_path: Path) -> None:
    name = WRITERS[kind](tmp_path)
    files = PageLabelFiles(kind, tmp_path, train=name)
    before = files.fingerprint()
    (changed,) = [
        path
        for path in tmp_path.rglob("*")
        if path.suffix in (".txt", ".json") and path.name != "fileState.txt"
    ]

    changed.write_text(changed.read_text(encoding="utf-8-sig").replace("A", "B"))

    assert files.fingerprint() != before


def test_fingerprint_follows_what_is_confirmed(tmp_path: Path) -> None:
    files = PageLabelFiles("ppocrlabel", tmp_path, train=write_ppocrlabel(tmp_path))
    before = files.fingerprint()

    (tmp_path / "img/fileState.txt").write_text("elsewhere/2.jpg\t1\n")

    assert files.fingerprint() != before


def test_pages_of_given_files_have_their_split(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"{name}.jpg\t[]\n")

    files = PageLabelFiles("paddleocr", tmp_path, train="a.txt", test="b.txt")

    assert [(p.image, p.split) for p in files.read() if not isinstance(p, Rejection)] == [
        ("a.txt.jpg", None),
        ("b.txt.jpg", "test"),
    ]
    assert files.given() == ("test",)


@pytest.mark.parametrize("kind", WRITERS)
def test_missing_labels_are_named(kind: PageLabelKind, tmp_path: Path) -> None:
    with pytest.raises(ArtifactNotFound, match="gone"):
        list(PageLabelFiles(kind, tmp_path, train="gone").read())


def test_text_files_of_icdar_may_end_in_capitals(tmp_path: Path) -> None:
    (tmp_path / "gt_1.TXT").write_text("0,1,9,1,9,5,0,5,A\n")
    (tmp_path / "1.jpg").touch()

    (page,) = PageLabelFiles("icdar2015", tmp_path, train=".").read()

    assert (page.image, page.where) == ("1.jpg", "./gt_1.TXT")


def test_other_encodings_are_named_with_the_fix(tmp_path: Path) -> None:
    (tmp_path / "gt_1.txt").write_bytes("0,0,9,0,9,5,0,5,合计".encode("gbk"))

    with pytest.raises(BadData, match=r"gt_1\.txt, line 1.*dataset\.encoding=gb18030"):
        list(PageLabelFiles("icdar2015", tmp_path, train=".").read())
