from pathlib import Path

import pytest

from ocr.dataset.inputs import survey_inputs
from ocr.dataset.lines.labels import Columns, LineLabelFiles
from ocr.dataset.lines.labels.files import LineLabelKind
from ocr.dataset.quarantine import Rejection
from ocr.errors import ArtifactNotFound, BadData, BadInput


def test_rows_of_given_files_have_their_split_and_those_of_train_none(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1.png\tA\n")
    (tmp_path / "b.txt").write_text("2.png\tB\n")

    files = LineLabelFiles("paddleocr", tmp_path, train="a.txt", test="b.txt")

    assert [
        (row.label.text, row.split) for row in files.read() if not isinstance(row, Rejection)
    ] == [
        ("A", None),
        ("B", "test"),
    ]
    assert files.given() == ("test",)


def test_no_path_of_the_machine_gets_into_rows(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1.png\tA\n")

    (row,) = LineLabelFiles("paddleocr", tmp_path, train=str(tmp_path / "a.txt")).read()

    assert row.where == "a.txt:1"


def test_fingerprint_follows_content_and_settings_but_not_the_place(tmp_path: Path) -> None:
    prints = []
    for folder, content in (("1", "1.png\tA\n"), ("2", "1.png\tA\n"), ("3", "1.png\tB\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text(content)
        prints.append(LineLabelFiles("paddleocr", tmp_path / folder, train="a.txt").fingerprint())

    as_gb = LineLabelFiles("paddleocr", tmp_path / "1", train="a.txt", encoding="gb18030")
    assert prints[0] == prints[1] != prints[2]
    assert as_gb.fingerprint() != prints[0]


@pytest.mark.parametrize("kind", ["paddleocr", "table", "folder"])
def test_missing_root_is_named(kind: LineLabelKind, tmp_path: Path) -> None:
    with pytest.raises(ArtifactNotFound, match=r"no folder .*gone \(dataset\.root\)"):
        list(LineLabelFiles(kind, tmp_path / "gone", train="a.csv").read())


def test_a_folder_without_images_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadData, match=f"the train split is empty: no rows in {tmp_path}"):
        survey_inputs(LineLabelFiles("folder", tmp_path), None)


def test_missing_label_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        ArtifactNotFound,
        match=r"no label file .*a\.txt; .* that holds it, or its field to '' for none",
    ):
        list(LineLabelFiles("paddleocr", tmp_path, train="a.txt").read())


def test_a_slip_in_the_name_of_a_label_file_is_noticed(tmp_path: Path) -> None:
    for name in ("rec_gt.txt", "rec_gt.jpg", "rec_g.png"):  # no image is meant
        (tmp_path / name).write_text("")

    with pytest.raises(ArtifactNotFound, match=r"rec_gt; did you mean rec_gt\.txt\?"):
        list(LineLabelFiles("paddleocr", tmp_path, train="rec_gt").read())


def test_groups_need_a_table(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="group_column needs a table"):
        LineLabelFiles("folder", tmp_path, columns=Columns(group="page"))


def test_column_of_splits_leaves_nothing_to_split_off(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("image,text,fold\na.jpg,A,train\nb.jpg,B,test\n")
    labels = LineLabelFiles("table", tmp_path, "t.csv", columns=Columns(split="fold"))

    assert labels.given() == ("val", "test")
    with pytest.raises(BadData, match=r"no rows in t\.csv with 'val' in the column 'fold'"):
        survey_inputs(labels, None)


@pytest.mark.parametrize(
    ("kind", "test", "said"),
    [("paddleocr", "", "split_column needs a table"), ("table", "u.csv", "no other is read")],
)
def test_column_of_splits_is_a_tables_only_one(
    kind: LineLabelKind, test: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=said):
        LineLabelFiles(kind, tmp_path, "t.csv", test=test, columns=Columns(split="fold"))
