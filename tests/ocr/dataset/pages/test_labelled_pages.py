from pathlib import Path

import pytest

from ocr.dataset.pages.labelled_pages import read_labelled_pages
from ocr.errors import ArtifactNotFound, BadData
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
