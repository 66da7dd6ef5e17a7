"""What tests of preparations share."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.limits import PageLimits
from ocr.dataset.pages.preparation import prepare_pages
from ocr.dataset.pages.snapshot import PageSnapshot, open_page_snapshot
from ocr.dataset.preparation import SnapshotRef
from ocr.image.pixels import encode_jpeg
from ocr.store import Store
from ocr.store.folder import download_folder
from tests.ocr.dataset.pages.sheets import add_row, entry, write_page
from tests.ocr.dataset.rules import COPIES, PAGE_LIMITS, SPLIT

TRAIN = {f"train/{n}.png": [f"TRAIN {n}", f"LINE {n}"] for n in range(12)}


VAL = {f"val/{n}.png": [f"VAL {n}", "SUM 1.00"] for n in range(2)}


TEST = {f"test/{n}.png": [f"TEST {n}", "SUM 2.00"] for n in range(2)}


LIMITS = replace(PAGE_LIMITS, max_bad_share=0.5)


ENTRY = entry("NEW", 0)


def files(root: Path) -> PageLabelFiles:
    return PageLabelFiles("paddleocr", root, "det_train.txt", "det_val.txt", "det_test.txt")


def prepare(
    store: Store,
    root: Path,
    *,
    limits: PageLimits = LIMITS,
    labels: PageLabelFiles | None = None,
) -> SnapshotRef:
    return prepare_pages(
        store,
        name="d",
        labels=labels or files(root),
        limits=limits,
        split=SPLIT,
        copies=COPIES,
    )


def fetch(store: Store, made: SnapshotRef, folder: Path) -> PageSnapshot:
    return open_page_snapshot(download_folder(store, prefix=made.key, folder=folder / made.digest))


def add_page(root: Path, entries: object) -> None:
    write_page(root, "new.png", ["NEW", "PAGE"])
    add_row(root, "det_train.txt", "new.png", entries)


def add_line(root: Path, line: str) -> None:
    with (root / "det_train.txt").open("a") as file:
        file.write(line + "\n")


def add_copy(root: Path, image: str, entries: object) -> None:
    page = cv2.imread(str(root / image))
    assert page is not None
    smaller = cv2.resize(page, None, fx=0.8, fy=0.8, interpolation=cv2.INTER_AREA)
    (root / "copy.jpg").write_bytes(encode_jpeg(np.asarray(smaller, np.uint8)))
    add_row(root, "det_train.txt", "copy.jpg", entries)
