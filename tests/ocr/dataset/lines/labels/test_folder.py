from pathlib import Path

from ocr.dataset.lines.labels.folder import given_splits, list_folder
from ocr.dataset.roots import FolderRoot


def touch(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


def test_text_is_the_name_without_counter_and_suffix(tmp_path: Path) -> None:
    touch(tmp_path, "AB 12.jpg", "AB 12_2.JPEG", "x_y.png", "v1.5.webp", "_12345.png")

    rows = {row.image: row.label.text for row in list_folder(FolderRoot(tmp_path))}

    assert rows == {
        "AB 12.jpg": "AB 12",
        "AB 12_2.JPEG": "AB 12",
        "x_y.png": "x_y",
        "v1.5.webp": "v1.5",
        "_12345.png": "_12345",
    }


def test_decomposed_names_are_composed(tmp_path: Path) -> None:
    touch(tmp_path, "cafe\u0301.png")

    assert [row.label.text for row in list_folder(FolderRoot(tmp_path))] == ["café"]


def test_other_and_hidden_files_are_left_out(tmp_path: Path) -> None:
    touch(tmp_path, "A.png", "README.txt", ".B.png", ".cache/C.png", "sub/D.png")

    assert [row.image for row in list_folder(FolderRoot(tmp_path))] == ["A.png", "sub/D.png"]


def test_top_folders_named_after_splits_give_them(tmp_path: Path) -> None:
    touch(tmp_path, "train/A.png", "test/deep/B.png", "other/val/C.png", "D.png")

    assert given_splits(FolderRoot(tmp_path)) == ("test",)
    assert {row.label.text: row.split for row in list_folder(FolderRoot(tmp_path))} == {
        "A": None,
        "B": "test",
        "C": None,
        "D": None,
    }
