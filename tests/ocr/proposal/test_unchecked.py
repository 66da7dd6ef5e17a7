"""Labels that a model learns from although nobody checked them."""

import math
from pathlib import Path
from typing import Literal

import pytest

from ocr.dataset.candidate import Row
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.errors import BadInput
from ocr.image.pixels import encode_png
from ocr.proposal.folder import Proposal, propose_labels
from tests.ocr.proposal.readers import ToldReader


def propose(scans: Path, reader: ToldReader, *, sure: float) -> Proposal:
    return propose_labels(
        sorted(path for path in scans.rglob("*") if path.is_file()),
        scans.with_name("read"),
        kind="ppocrlabel",
        reader=reader,
        budget=9,
        max_pixels=10**6,
        sure=sure,
    )


@pytest.fixture
def reader() -> ToldReader:
    return ToldReader()


@pytest.fixture
def scans(reader: ToldReader, tmp_path: Path) -> Path:
    """A page of which one line is sure, one of which none is, and an empty one."""
    folder = tmp_path / "scans"
    folder.mkdir()
    pages = {"a": [("ALPHA", 0.95), ("BETA", 0.94)], "b": [("GAMMA", 0.6)], "c": []}
    for seed, (name, texts) in enumerate(pages.items()):
        (folder / f"{name}.png").write_bytes(encode_png(reader.draw(texts, seed=seed)))
    return folder


def test_sure_lines_are_labels_and_others_neither_text_nor_background(
    scans: Path, reader: ToldReader
) -> None:
    made = propose(scans, reader, sure=0.95)

    folder = scans.with_name("read")
    assert {path.name for path in folder.iterdir()} == {"a.png", "Label.txt", "pages.json"}
    (page,) = made.suggestions
    assert (page.lines, page.labels) == (2, 1)


@pytest.mark.parametrize("kind", ["paddleocr", "ppocrlabel"])
def test_they_are_read_as_labels_from_the_folder_above(
    scans: Path, reader: ToldReader, kind: Literal["paddleocr", "ppocrlabel"]
) -> None:
    propose(scans, reader, sure=0.95)

    (row,) = PageLabelFiles(kind, scans.parent, "read/Label.txt").read()

    assert isinstance(row, Row)
    assert row.image == "read/a.png"
    assert [(each.text, each.ignored) for each in row.label.regions] == [
        ("ALPHA", False),
        ("", True),
    ]


def test_pages_without_a_sure_line_are_named_and_left_out(scans: Path, reader: ToldReader) -> None:
    made = propose(scans, reader, sure=0.95)

    assert {Path(each.name).name: each.why for each in made.left_out} == {
        "b.png": "no line with a confidence of 0.95",
        "c.png": "no line with a confidence of 0.95",
    }


def test_files_of_one_name_stay_apart(scans: Path, reader: ToldReader) -> None:
    more = scans / "more"
    more.mkdir()
    (more / "a.png").write_bytes(encode_png(reader.draw([("DELTA", 1.0)], seed=9)))

    made = propose(scans, reader, sure=0.95)

    assert {page.image for page in made.suggestions} == {"a.png", "more_a.png"}
    rows = (scans.with_name("read") / "Label.txt").read_text().splitlines()
    read = dict(row.split("\t") for row in rows)
    for page in made.suggestions:
        assert page.least_text in read[f"read/{page.image}"] or page.labels < page.lines


def test_a_long_name_is_cut_to_what_file_systems_hold(scans: Path, reader: ToldReader) -> None:
    for folder, name in (("发票" * 20, "单据" * 30), ("f" * 100, "n" * 200)):
        (scans / folder).mkdir()
        page = reader.draw([(folder[:9], 1.0)], seed=len(folder))
        (scans / folder / f"{name}.png").write_bytes(encode_png(page))

    made = propose(scans, reader, sure=0.95)

    assert len(made.suggestions) == 3
    assert {page.image[0] for page in made.suggestions} == {"a", "发", "f"}


def test_what_says_that_a_line_is_illegible_is_no_label(scans: Path, reader: ToldReader) -> None:
    texts = [("###", 1.0), ("*", 1.0), (" ", 1.0), ("NOT SURE", math.nan)]
    (scans / "d.png").write_bytes(encode_png(reader.draw(texts, seed=7)))

    made = propose(scans, reader, sure=0.95)

    assert [page.image for page in made.suggestions] == ["a.png"]


def test_nothing_is_written_where_nothing_is_sure(scans: Path, reader: ToldReader) -> None:
    with pytest.raises(BadInput, match=r"3 pages were read, no line with a .* of 1; lower"):
        propose(scans, reader, sure=1)

    assert not scans.with_name("read").exists()
