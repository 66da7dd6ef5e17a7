from pathlib import Path

import pytest

from ocr.dataset.pages.labelled_pages import LabelledPage, read_labelled_pages
from ocr.errors import ArtifactNotFound, BadData
from ocr.image.pixels import BadImage
from tests.ocr.dataset.pages.sheets import add_row, entry, write_page, write_pages


def test_pages_come_with_regions_and_what_is_bad_is_named(tmp_path: Path) -> None:
    write_pages(tmp_path, "det.txt", {"a.png": ["ONE", "TWO"], "b.png": ["THREE"]})
    (tmp_path / "b.png").unlink()
    write_page(tmp_path, "c.png", ["FOUR"])
    add_row(tmp_path, "det.txt", "c.png", [entry("FOUR", 0), {"transcription": "X", "points": []}])

    pages, rejections = read_labelled_pages(tmp_path / "det.txt", max_pixels=10**6)

    assert [[region.text for region in page.regions] for page in pages] == [
        ["ONE", "TWO"],
        ["FOUR"],
    ]
    assert pages[0].image().shape == (100, 200, 3)
    assert [(r.where, r.reason) for r in rejections] == [
        ("det.txt:2", "missing_image"),
        ("det.txt:3 region 2", "empty_polygon"),
    ]


def test_a_page_that_cannot_be_decoded_is_named() -> None:
    page = LabelledPage("scans/a.png", (), b"no image", 10**6)

    with pytest.raises(BadImage, match=r"^scans/a\.png: not an image"):
        page.image()


def test_images_may_lie_elsewhere_than_the_label_file(tmp_path: Path) -> None:
    (tmp_path / "crops").mkdir()
    write_pages(tmp_path / "crops", "../det.txt", {"a.png": ["ONE"]})

    found, rejections = read_labelled_pages(
        tmp_path / "det.txt", max_pixels=10**6, root=tmp_path / "crops"
    )

    assert (len(found), rejections) == (1, [])
    with pytest.raises(BadData, match=rf"no file 'a\.png' in {tmp_path}$"):
        read_labelled_pages(tmp_path / "det.txt", max_pixels=10**6)


def test_a_file_of_bad_rows_only_is_refused(tmp_path: Path) -> None:
    add_row(tmp_path, "det.txt", "gone.png", [])

    with pytest.raises(BadData, match=r"no row that can be read, e.g. det.txt:1 missing_image: "):
        read_labelled_pages(tmp_path / "det.txt", max_pixels=10**6)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArtifactNotFound, match=r"det\.txt"):
        read_labelled_pages(tmp_path / "det.txt", max_pixels=10**6)


@pytest.mark.parametrize("written", ["receipts/a.png", "receipts\\a.png"])
def test_project_of_ppocrlabel_is_read_with_its_checked_pages(tmp_path: Path, written: str) -> None:
    folder = tmp_path / "receipts"
    write_pages(folder, "drawn.txt", {"a.png": ["ONE"], "b.png": ["TWO"]})
    rows = (folder / "drawn.txt").read_text().replace("a.png\t", f"{written}\t")
    (folder / "Label.txt").write_text(rows.replace("b.png\t", "receipts/b.png\t"))
    (folder / "fileState.txt").write_text("D:\\receipts\\a.png\t1\n")

    pages, rejections = read_labelled_pages(folder / "Label.txt", max_pixels=10**6)

    assert [page.name for page in pages] == ["a.png"]
    assert [each.reason for each in rejections] == ["unconfirmed_page"]


def test_project_is_read_whose_folder_was_renamed(tmp_path: Path) -> None:
    write_pages(tmp_path / "june", "drawn.txt", {"a.png": ["ONE"], "b.png": ["TWO"]})
    rows = (tmp_path / "june/drawn.txt").read_text()
    (tmp_path / "june/Label.txt").write_text(rows.replace("a.png", "may/a.png"))

    pages, rejections = read_labelled_pages(tmp_path / "june/Label.txt", max_pixels=10**6)

    assert ([page.name for page in pages], rejections) == (["a.png", "b.png"], [])


@pytest.mark.parametrize("image", ["../a.png", "/a.png", "may/june/a.png", "may/" + "a" * 5000])
def test_image_of_another_folder_is_none_beside_the_labels(tmp_path: Path, image: str) -> None:
    write_pages(tmp_path, "det.txt", {"a.png": ["ONE"]})
    rows = (tmp_path / "det.txt").read_text()
    (tmp_path / "det.txt").write_text(f"{image}\t[]\n{rows}")

    pages, rejections = read_labelled_pages(tmp_path / "det.txt", max_pixels=10**6)

    assert [page.name for page in pages] == ["a.png"]
    assert [each.image for each in rejections] == [image]


def test_folder_of_the_same_name_in_the_label_files_folder_is_where_images_lie(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "receipts"
    (folder / "receipts").mkdir(parents=True)
    write_pages(folder, "det.txt", {"receipts/a.png": ["ONE"]})
    write_page(folder, "a.png", ["OTHER"])

    (page,), _ = read_labelled_pages(folder / "det.txt", max_pixels=10**6)

    assert page.name == "receipts/a.png"


@pytest.mark.parametrize("text", ["皖A12345", "12", "12.50 €"])
def test_labels_of_lines_are_refused_as_such(tmp_path: Path, text: str) -> None:
    (tmp_path / "rec.txt").write_text(f"a.png\t{text}\n" * 2)

    with pytest.raises(BadData, match=r"rec\.txt holds lines, .* the model reads pages"):
        read_labelled_pages(tmp_path / "rec.txt", max_pixels=10**6)


def test_labels_of_gbk_are_read_as_gb18030(tmp_path: Path) -> None:
    write_pages(tmp_path, "utf8.txt", {"a.png": ["ONE"]})
    rows = (tmp_path / "utf8.txt").read_text().replace("ONE", "合计")
    (tmp_path / "det.txt").write_bytes(rows.encode("gbk"))

    (page,), _ = read_labelled_pages(tmp_path / "det.txt", max_pixels=10**6, encoding="gb18030")

    assert [region.text for region in page.regions] == ["合计"]
