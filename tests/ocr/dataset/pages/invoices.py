"""Invoices of one template: the same printed words, to the pixel, on every page."""

from pathlib import Path

import cv2
import numpy as np

from ocr.dataset.lines.snapshot import LineSnapshot, open_line_snapshot
from ocr.dataset.pages.crops import prepare_crops
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.preparation import prepare_pages
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.split import Split
from ocr.image.pixels import Image, encode_png
from ocr.store import Store
from ocr.store.folder import download_folder
from tests.ocr.dataset.pages.sheets import add_row, entry
from tests.ocr.dataset.rules import COPIES, PAGE_LIMITS, SPLIT

STATIC = ("Invoice No.", "Date", "Total")
SPLITS: dict[Split, int] = {"train": 30, "val": 5, "test": 5}


def draw_invoice(number: int) -> Image:
    """White paper with the words of the template, a number, and goods that no other page has."""
    page = np.full((420, 200, 3), 255, np.uint8)
    for line, text in enumerate((*STATIC, f"{number:05d}")):
        cv2.putText(page, text, (12, 40 * line + 35), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (0, 0, 0), 2)
    goods = np.random.default_rng(number).integers(0, 255, (30, 18), np.uint8)
    page[180:, 10:190] = cv2.resize(goods, (180, 240), interpolation=cv2.INTER_NEAREST)[..., None]
    return page


def write_invoices(root: Path, *, misread: int = 0) -> None:
    """Invoices of one template in three splits; on the first ones "Date" is labelled "Dale"."""
    root.mkdir()
    splits = [split for split, count in SPLITS.items() for _ in range(count)]
    for number, split in enumerate(splits):
        (root / f"{number}.png").write_bytes(encode_png(draw_invoice(number)))
        date = "Dale" if number < misread else "Date"
        texts = ("Invoice No.", date, "Total", f"{number:05d}")
        entries = [entry(text, line) for line, text in enumerate(texts)]
        add_row(root, f"{split}.txt", f"{number}.png", entries)


def prepare(store: Store, root: Path) -> SnapshotRef:
    labels = PageLabelFiles("paddleocr", root, "train.txt", "val.txt", "test.txt")
    return prepare_pages(
        store, name="p", labels=labels, limits=PAGE_LIMITS, split=SPLIT, copies=COPIES
    )


def cut(store: Store, root: Path) -> SnapshotRef:
    pages = prepare(store, root)
    assert pages.quarantine == ()
    return prepare_crops(store, pages_key=pages.key, name="p-lines", limits=PAGE_LIMITS)


def fetch(store: Store, made: SnapshotRef, folder: Path) -> LineSnapshot:
    return open_line_snapshot(download_folder(store, prefix=made.key, folder=folder / made.digest))
