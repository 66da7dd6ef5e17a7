"""Samples are named by all that is said of them, and not by where their images lie."""

from pathlib import Path
from typing import Any

import pytest

from ocr.dataset.lines.snapshot import LineSample
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.dataset.snapshot.snapshot import Snapshot
from ocr.models.charset import Charset

ROW = {
    "id": "ab",
    "split": "test",
    "width": 94,
    "height": 24,
    "source": "test.txt",
    "group": "page 1",
    "image": "1.png",
    "shard": "images-0",
    "offset": 0,
    "size": 90,
    "text": "A1",
}
OTHER = {"width": 95, "height": 25, "offset": 7, "size": 91}


def describe(monkeypatch: pytest.MonkeyPatch, *rows: dict[str, Any], most: int = 9) -> str:
    monkeypatch.setattr("ocr.dataset.snapshot.snapshot.read_rows", lambda *_, **__: iter(rows))
    manifest = SnapshotManifest.create(
        name="d", counts={}, quarantine=(), charset_size=1, files={}, task="recognition"
    )
    snapshot = Snapshot(Path("here"), manifest, Charset(("A",)), LineSample, lambda **_: b"")
    return snapshot.describe("test", most)


@pytest.mark.parametrize("column", sorted({*ROW} - {"shard", "offset", "size"}))
def test_whatever_is_said_of_a_sample_names_it(
    column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = {**ROW, column: OTHER.get(column, "other")}

    assert describe(monkeypatch, ROW) != describe(monkeypatch, other)


@pytest.mark.parametrize("column", ["shard", "offset", "size"])
def test_where_its_image_lies_does_not(column: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = {**ROW, column: OTHER.get(column, "other")}

    assert describe(monkeypatch, ROW) == describe(monkeypatch, other)


def test_order_and_number_count(monkeypatch: pytest.MonkeyPatch) -> None:
    two = {**ROW, "id": "cd"}
    names = [describe(monkeypatch, *rows) for rows in ((ROW, two), (two, ROW), (ROW,))]

    assert len(set(names)) == 3
    assert describe(monkeypatch, ROW, two, most=1) == names[2]
