"""Labels that a model learns from although nobody checked them."""

import hashlib
import json
import math
from collections.abc import Collection
from pathlib import Path
from typing import Literal

import pytest

from ocr.dataset.candidate import Row
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.errors import BadInput
from ocr.image.pixels import encode_png
from ocr.proposal.unchecked import UncheckedLabels, label_unchecked
from tests.ocr.proposal.readers import ToldReader


def label(
    scans: Path,
    reader: ToldReader,
    *,
    sure: float = 0.95,
    budget: int | None = None,
    known: Collection[tuple[str, int]] = (),
) -> UncheckedLabels:
    return label_unchecked(
        sorted(path for path in scans.rglob("*") if path.is_file()),
        scans.with_name("read"),
        within=scans,
        reader=reader,
        sure=sure,
        max_pixels=10**6,
        budget=budget,
        known=known,
    )


def texts_of(scans: Path) -> dict[str, list[str]]:
    """What each image of the folder is labelled with."""
    rows = (scans.with_name("read") / "Label.txt").read_text().splitlines()
    labels = dict(row.split("\t") for row in rows)
    return {
        image.removeprefix("read/"): [each["transcription"] for each in json.loads(regions)]
        for image, regions in labels.items()
    }


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
    made = label(scans, reader)

    folder = scans.with_name("read")
    assert {path.name for path in folder.iterdir()} == {"a.png", "Label.txt"}
    assert texts_of(scans) == {"a.png": ["ALPHA", "###"]}
    assert (made.pages, made.lines, made.labels) == (1, 2, 1)


@pytest.mark.parametrize("kind", ["paddleocr", "ppocrlabel"])
def test_they_are_read_as_labels_from_the_folder_above(
    scans: Path, reader: ToldReader, kind: Literal["paddleocr", "ppocrlabel"]
) -> None:
    label(scans, reader)

    (row,) = PageLabelFiles(kind, scans.parent, "read/Label.txt").read()

    assert isinstance(row, Row)
    assert row.image == "read/a.png"
    assert [(each.text, each.ignored) for each in row.label.regions] == [
        ("ALPHA", False),
        ("", True),
    ]


def test_pages_without_a_sure_line_are_named_and_left_out(scans: Path, reader: ToldReader) -> None:
    made = label(scans, reader)

    assert {Path(each.name).name: each.why for each in made.left_out} == {
        "b.png": "no line is read with a confidence of 0.95",
        "c.png": "no line is read with a confidence of 0.95",
    }


def test_a_page_is_called_as_its_file_and_folders_are(scans: Path, reader: ToldReader) -> None:
    (scans / "more").mkdir()
    for seed, name in enumerate(("more/a", "x y", "x+y"), start=9):
        page = reader.draw([(name.upper(), 1.0)], seed=seed)
        (scans / f"{name}.png").write_bytes(encode_png(page))

    label(scans, reader)

    assert texts_of(scans) == {
        "a.png": ["ALPHA", "###"],
        "more_a.png": ["MORE/A"],
        "x_y.png": ["X Y"],
        "x_y-2.png": ["X+Y"],
    }


def test_no_more_pages_are_read_than_asked_for(scans: Path, reader: ToldReader) -> None:
    for seed in range(9):
        (scans / f"0{seed}.png").write_bytes(encode_png(reader.draw([("ONE", 1.0)], seed=seed)))

    made = label(scans, reader, budget=2)

    assert made.pages == 2
    assert list(texts_of(scans)) == ["00.png", "01.png"]
    assert made.left_out == ()


def test_what_somebody_checks_is_not_written(scans: Path, reader: ToldReader) -> None:
    (scans / "d.png").write_bytes(encode_png(reader.draw([("DELTA", 1.0)], seed=4)))
    digest = hashlib.sha256((scans / "a.png").read_bytes()).hexdigest()

    label(scans, reader, known={(digest, 1)})

    assert list(texts_of(scans)) == ["d.png"]


def test_a_long_name_is_cut_to_what_file_systems_hold(scans: Path, reader: ToldReader) -> None:
    for folder, name in (("发票" * 20, "单据" * 30), ("f" * 100, "n" * 200)):
        (scans / folder).mkdir()
        page = reader.draw([(folder[:9], 1.0)], seed=len(folder))
        (scans / folder / f"{name}.png").write_bytes(encode_png(page))

    made = label(scans, reader)

    assert made.pages == 3
    assert {image[0] for image in texts_of(scans)} == {"a", "发", "f"}


def test_what_says_that_a_line_is_illegible_is_no_label(scans: Path, reader: ToldReader) -> None:
    texts = [("###", 1.0), ("*", 1.0), (" ", 1.0), ("NOT SURE", math.nan)]
    (scans / "d.png").write_bytes(encode_png(reader.draw(texts, seed=7)))

    made = label(scans, reader)

    assert made.pages == 1
    assert list(texts_of(scans)) == ["a.png"]


def test_nothing_is_written_where_nothing_is_sure(scans: Path, reader: ToldReader) -> None:
    with pytest.raises(BadInput, match=r"3 are left out, e\.g\. .*c\.png: no line is read with"):
        label(scans, reader, sure=1)

    assert not scans.with_name("read").exists()
