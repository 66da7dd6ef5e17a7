"""A part of a snapshot is a snapshot: its samples are some of the whole's, as they are there."""

import re
from itertools import product
from pathlib import Path

import pytest

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.lines.snapshot import LineSnapshot, open_line_snapshot
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.snapshot.part import take_part
from ocr.dataset.split import SPLITS, SplitRule
from ocr.image.pixels import encode_png
from ocr.store import Store
from ocr.store.folder import download_folder
from tests.ocr.dataset.rules import LINE_LIMITS
from tests.toy_bundle import draw


@pytest.fixture
def whole(store: Store, tmp_path: Path) -> SnapshotRef:
    """Lines of A, B and C; one image is of two samples."""
    root = tmp_path / "images"
    root.mkdir()
    every = ["".join(text) for text in product("ABC", repeat=4)]
    texts = [text for text in every if not re.search(r"(.)\1", text)]
    for text in texts:
        (root / f"{text}.png").write_bytes(encode_png(draw(text)))
    (root / "labels.txt").write_text("".join(f"{text}.png\t{text}\n" for text in texts))
    return prepare_lines(
        store,
        name="toy",
        labels=LineLabelFiles(kind="paddleocr", root=root, train="labels.txt"),
        limits=LINE_LIMITS,
        split=SplitRule(val_share=0.2, test_share=0.2, seed=0),
        near_duplicate_bits=0,
    )


def open_copy(store: Store, key: str, folder: Path) -> LineSnapshot:
    return open_line_snapshot(download_folder(store, prefix=key, folder=folder))


def test_a_part_has_so_many_samples_of_every_split_with_the_images_of_the_whole(
    store: Store, whole: SnapshotRef, tmp_path: Path
) -> None:
    key = take_part(store, whole.key, most=10, work_folder=tmp_path)

    part = open_copy(store, key, tmp_path / "part")
    full = open_copy(store, whole.key, tmp_path / "full")
    texts = {split: {s.id: s.text for s in full.samples(split)} for split in SPLITS}
    assert {split: len(list(part.samples(split))) for split in SPLITS} == {
        "train": 8,
        "val": 1,
        "test": 1,
    }
    for split in SPLITS:
        for sample, image in part.images(split):  # read from the part's own shards, by digest
            assert texts[split][sample.id] == sample.text
            assert image.shape[:2] == (sample.height, sample.width)
    assert part.charset.characters == full.charset.characters
    assert key.startswith("datasets/toy-part/")


def test_the_same_part_is_found_again(store: Store, whole: SnapshotRef, tmp_path: Path) -> None:
    first = take_part(store, whole.key, most=10, work_folder=tmp_path)
    again = take_part(store, whole.key, most=10, work_folder=tmp_path)
    other = take_part(store, whole.key, most=12, work_folder=tmp_path)

    assert again == first
    assert other != first


def test_a_small_snapshot_is_its_own_part(store: Store, whole: SnapshotRef, tmp_path: Path) -> None:
    assert take_part(store, whole.key, most=1000, work_folder=tmp_path) == whole.key
