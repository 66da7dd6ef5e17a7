"""A store with lines that doubt and a page of some, for the benches of recognisers."""

import json
from pathlib import Path

import pytest

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.preparation import prepare_pages
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.image.pixels import encode_png
from tasks.workspace import Workspace, open_workspace
from tests.ocr.dataset.rules import COPIES, LINE_LIMITS, PAGE_LIMITS, SPLIT
from tests.toy_bundle import CELL_PX, HEIGHT_PX, Lines, corners, draw, draw_page

LENGTHS = range(2, 22)
PAGES: dict[str, Lines] = {
    "train": {(32, 32): "ABC"},
    "val": {(32, 64): "CAB"},
    "test": {(32, 32): "BCB", (64, 96): "CBCBC"},
}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    return open_workspace()


@pytest.fixture
def snapshot(tmp_path: Path, workspace: Workspace) -> LineSnapshot:
    """Lines of B C B C …: of every other one the net takes the first character for an A."""
    root = tmp_path / "lines"
    root.mkdir()
    for split in ("train", "val", "test", "another"):
        rows = []
        for length in LENGTHS:
            text = ("BC" * length)[:length]
            picture = " ".join("?" + text[1:] if length % 2 else text)
            name = f"{split}-{length}.png"
            (root / name).write_bytes(encode_png(draw(picture + " " * len(split))))
            rows.append(f"{name}\t{text}\n")
        (root / f"{split}.txt").write_text("".join(rows), encoding="utf-8")
    return prepare_toy_lines(workspace, root, test="test")


def prepare_toy_lines(
    workspace: Workspace, root: Path, *, train: str = "train", test: str
) -> LineSnapshot:
    """Put the lines of the label files into the store, those of two of them as train and test."""
    prepared = prepare_lines(
        workspace.store,
        name="toy-lines",
        labels=LineLabelFiles("paddleocr", root, f"{train}.txt", "val.txt", f"{test}.txt"),
        limits=LINE_LIMITS,
        split=SPLIT,
        near_duplicate_bits=0,
    )
    return workspace.open_lines(prepared.key)


@pytest.fixture
def pages(tmp_path: Path, workspace: Workspace) -> PageSnapshot:
    """A page of each split; that of the test has two lines."""
    root = tmp_path / "pages"
    root.mkdir()
    for split, lines in PAGES.items():
        regions = [
            {"transcription": text, "points": corners(x, y, CELL_PX * len(text), HEIGHT_PX)}
            for (x, y), text in lines.items()
        ]
        (root / f"{split}.png").write_bytes(encode_png(draw_page(lines)))
        row = f"{split}.png\t{json.dumps(regions)}\n"
        (root / f"{split}.txt").write_text(row, encoding="utf-8")
    prepared = prepare_pages(
        workspace.store,
        name="toy",
        labels=PageLabelFiles("paddleocr", root, "train.txt", "val.txt", "test.txt"),
        limits=PAGE_LIMITS,
        split=SPLIT,
        copies=COPIES,
    )
    return workspace.open_pages(prepared.key)
