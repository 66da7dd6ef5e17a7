"""Label files read without a snapshot: for an evaluation."""

from pathlib import Path

import pytest

from ocr.dataset.labels.text_rule import AS_WRITTEN, USUAL, TextRule
from ocr.dataset.lines.labelled_lines import stream_labelled_lines
from ocr.dataset.quarantine import Rejection
from ocr.errors import ArtifactNotFound, BadData
from tests.ocr.dataset.lines.at_once import read_labelled_lines
from tests.ocr.image.pictures import write_labels


def test_images_come_with_their_texts_and_bad_rows_are_named(tmp_path: Path) -> None:
    write_labels(tmp_path, "rec.txt", {"a.png": "AB", "b.png": "CD", "c.png": "EF"})
    (tmp_path / "b.png").unlink()

    samples, rejections = read_labelled_lines(tmp_path / "rec.txt", max_pixels=10**6)

    assert [text for _, text in samples] == ["AB", "EF"]
    assert samples[0][0].shape == (32, 96, 3)
    assert [(r.where, r.reason) for r in rejections] == [("rec.txt:2", "missing_image")]


def test_a_label_without_text_is_nothing_that_could_be_read_right(tmp_path: Path) -> None:
    write_labels(tmp_path, "rec.txt", {"a.png": "AB", "b.png": "", "c.png": "  "})

    samples, rejections = read_labelled_lines(tmp_path / "rec.txt", max_pixels=10**6)

    assert [text for _, text in samples] == ["AB"]
    assert [(r.where, r.reason) for r in rejections] == [
        ("rec.txt:2", "empty_text"),
        ("rec.txt:3", "empty_text"),
    ]


def test_what_nobody_could_read_is_no_text_to_be_read(tmp_path: Path) -> None:
    write_labels(tmp_path, "rec.txt", {"a.png": "AB", "b.png": "###", "c.png": "*"})

    samples, rejections = read_labelled_lines(tmp_path / "rec.txt", max_pixels=10**6)

    assert [text for _, text in samples] == ["AB"]
    assert [(r.where, r.reason) for r in rejections] == [
        ("rec.txt:2", "illegible"),
        ("rec.txt:3", "illegible"),
    ]


def test_label_with_what_nobody_can_have_read_is_no_error_of_the_model(tmp_path: Path) -> None:
    write_labels(tmp_path, "rec.txt", {"a.png": "AB", "b.png": "A\ufffd", "c.png": "A\u200b"})

    samples, rejections = read_labelled_lines(tmp_path / "rec.txt", max_pixels=10**6)

    assert [text for _, text in samples] == ["AB"]
    assert [(r.where, r.reason) for r in rejections] == [
        ("rec.txt:2", "control_character"),
        ("rec.txt:3", "control_character"),
    ]


def test_texts_are_written_as_those_a_model_learnt_from(tmp_path: Path) -> None:
    write_labels(tmp_path, "rec.txt", {"a.png": "A\u3000，"})

    read = [
        read_labelled_lines(tmp_path / "rec.txt", max_pixels=10**6, texts=texts)[0][0][1]
        for texts in (USUAL, AS_WRITTEN, TextRule("NFKC", "collapse"))
    ]

    assert read == ["A ，", "A\u3000，", "A ,"]


def test_images_may_lie_elsewhere_than_the_label_file(tmp_path: Path) -> None:
    (tmp_path / "crops").mkdir()
    write_labels(tmp_path / "crops", "../rec.txt", {"a.png": "AB"})

    found, rejections = read_labelled_lines(
        tmp_path / "rec.txt", max_pixels=10**6, root=tmp_path / "crops"
    )

    assert (len(found), rejections) == (1, [])
    with pytest.raises(BadData, match=rf"no file 'a\.png' in {tmp_path}$"):
        read_labelled_lines(tmp_path / "rec.txt", max_pixels=10**6)


def test_a_file_of_bad_rows_only_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rec.txt").write_text("none.png\tA\n")

    with pytest.raises(BadData, match=r"no row that can be read, e.g. rec.txt:1 missing_image: "):
        read_labelled_lines(tmp_path / "rec.txt", max_pixels=10**6)


def test_a_file_of_another_form_is_refused_with_the_one_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "rec.csv").write_text("image,text\na.png,A\n")

    with pytest.raises(BadData, match=r"image<TAB>text, as label files of PaddleOCR have it$"):
        read_labelled_lines(tmp_path / "rec.csv", max_pixels=10**6)


def test_a_file_of_pages_is_refused_as_such(tmp_path: Path) -> None:
    row = 'a.png\t[{"transcription": "A", "points": [[0, 0], [9, 0], [9, 9], [0, 9]]}]\n'
    (tmp_path / "det.txt").write_text(row)

    with pytest.raises(BadData, match=r"det\.txt holds pages, .* and the model reads lines; give"):
        read_labelled_lines(tmp_path / "det.txt", max_pixels=10**6)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArtifactNotFound, match=r"rec\.txt"):
        read_labelled_lines(tmp_path / "rec.txt", max_pixels=10**6)


def test_a_file_of_many_lines_is_read_one_after_another(tmp_path: Path) -> None:
    write_labels(tmp_path, "rec.txt", {"a.png": "A", "b.png": "B"})

    found = stream_labelled_lines(tmp_path / "rec.txt", max_pixels=10**6)
    first = next(found)
    (tmp_path / "b.png").unlink()
    [second] = found

    assert not isinstance(first, Rejection)
    assert isinstance(second, Rejection)
    assert second.reason == "missing_image"
