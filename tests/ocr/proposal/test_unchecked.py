"""Labels that a model learns from although nobody checked them."""

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
        sorted(scans.iterdir()),
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
    assert {path.name for path in folder.iterdir()} == {"0001-a.png", "Label.txt", "pages.json"}
    (page,) = made.suggestions
    assert (page.lines, page.labels) == (2, 1)


@pytest.mark.parametrize("kind", ["paddleocr", "ppocrlabel"])
def test_they_are_read_as_labels_from_the_folder_above(
    scans: Path, reader: ToldReader, kind: Literal["paddleocr", "ppocrlabel"]
) -> None:
    propose(scans, reader, sure=0.95)

    (row,) = PageLabelFiles(kind, scans.parent, "read/Label.txt").read()

    assert isinstance(row, Row)
    assert row.image == "read/0001-a.png"
    assert [(each.text, each.ignored) for each in row.label.regions] == [
        ("ALPHA", False),
        ("", True),
    ]


def test_pages_without_a_sure_line_are_named_and_left_out(scans: Path, reader: ToldReader) -> None:
    made = propose(scans, reader, sure=0.95)

    assert {Path(each.name).name: each.why for each in made.left_out} == {
        "b.png": "no line of it is read surely",
        "c.png": "no line of it is read surely",
    }


def test_nothing_is_written_where_nothing_is_sure(scans: Path, reader: ToldReader) -> None:
    with pytest.raises(BadInput, match="no line of it is read surely"):
        propose(scans, reader, sure=1)

    assert not scans.with_name("read").exists()
