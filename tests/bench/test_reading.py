"""The bench of reading: with the texts of a dataset and without, on lines that doubt."""

from pathlib import Path

import pytest

from bench.reading import measure
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.lines.snapshot import LineSnapshot, open_line_snapshot
from ocr.image.pixels import encode_png
from ocr.models.charset import Charset
from ocr.reading.recognition.recogniser import OnnxRecogniser
from ocr.store import open_store
from ocr.store.folder import download_folder
from tests.ocr.dataset.rules import LINE_LIMITS, SPLIT
from tests.toy_bundle import CHARACTERS, draw, write_toy_bundle

LENGTHS = range(2, 22)


@pytest.fixture
def snapshot(tmp_path: Path) -> LineSnapshot:
    """Lines of B C B C … whose first character may be an A to the net."""
    for split in ("train", "val", "test"):
        rows = []
        for length in LENGTHS:
            text = ("BC" * length)[:length]
            picture = " ".join("?" + text[1:] if length % 2 else text)
            name = f"{split}-{length}.png"
            (tmp_path / name).write_bytes(encode_png(draw(picture + " " * len(split))))
            rows.append(f"{name}\t{text}\n")
        (tmp_path / f"{split}.txt").write_text("".join(rows), encoding="utf-8")
    store = open_store(str(tmp_path / "store"))
    labels = LineLabelFiles("paddleocr", tmp_path, "train.txt", "val.txt", "test.txt")
    prepared = prepare_lines(
        store, name="toy", labels=labels, limits=LINE_LIMITS, split=SPLIT, near_duplicate_bits=0
    )
    return open_line_snapshot(
        download_folder(store, prefix=prepared.key, folder=tmp_path / "snapshot")
    )


def test_the_gain_is_printed_with_its_interval_and_its_cost(
    tmp_path: Path, snapshot: LineSnapshot, capsys: pytest.CaptureFixture[str]
) -> None:
    recogniser = OnnxRecogniser.load(write_toy_bundle(tmp_path / "bundle"))

    measure(recogniser, snapshot, Charset(CHARACTERS))

    printed = capsys.readouterr().out
    assert "validation: 0.5000 exactly, +0.5000" in printed
    assert "20 test lines" in printed
    exactly = next(line for line in printed.splitlines() if "exactly " in line and "│" in line)
    assert [cell.strip() for cell in exactly.split("│")[2:4]] == ["0.5000", "1.0000"]
    assert "x in all" in printed
