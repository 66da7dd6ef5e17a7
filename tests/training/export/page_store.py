"""A store with a small dataset of pages and a detector's checkpoint that finds their lines."""

import json
from pathlib import Path

import numpy as np

from configs.jobs import ExportDetectorJob
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.preparation import prepare_pages
from ocr.image.pixels import Image, encode_png
from ocr.store import Store, open_store
from ocr.store.folder import upload_folder
from tests.ocr.dataset.rules import COPIES, PAGE_LIMITS, SPLIT
from tests.toy_bundle import CELL_PX, HEIGHT_PX, Lines, draw_page
from tests.training.detection.toy_detector import save_toy_detector

LONG_SIDE_PX = 320


def random_lines(number: int) -> Lines:
    """Lines at places and of lengths that follow from a number."""
    rng = np.random.default_rng(number)
    return {
        (int(rng.integers(8, 40)), y + int(rng.integers(0, 16))): "".join(
            rng.choice(list("ABC"), int(rng.integers(2, 18)))
        )
        for y in range(8, 400, 64)
    }


def page(number: int) -> Image:
    """A page larger than what the detector takes."""
    return draw_page(random_lines(number), width_px=400, height_px=480)


def page_store(
    root: Path, *, golden_images: int = 3, checkpoint: Path | None = None
) -> tuple[Store, ExportDetectorJob]:
    """Fill a store and return it with the job that exports a checkpoint, the toy's by default."""
    store = open_store(str(root / "store"))
    folder = checkpoint or save_toy_detector(root / "checkpoint", long_side_px=LONG_SIDE_PX)
    (folder / "manifest.json").write_text("{}", encoding="utf-8")
    upload_folder(store, folder, prefix="checkpoints/toy")
    job = ExportDetectorJob(
        store=store.uri,
        snapshot=_store_snapshot(store, root / "data"),
        checkpoint="checkpoints/toy",
        name="toy-detector",
        version="v1",
        code_commit="c0ffee",
        parameters={"epochs": 3},
        metrics={"hmean": 0.25},
        golden_images=golden_images,
    )
    return store, job


def _store_snapshot(store: Store, root: Path) -> str:
    root.mkdir(parents=True)
    for start, split in ((0, "train"), (100, "val"), (200, "test")):
        rows = []
        for number in range(start, start + 4):
            (root / f"{number}.png").write_bytes(encode_png(page(number)))
            rows.append(f"{number}.png\t{json.dumps(_regions(random_lines(number)))}\n")
        (root / f"{split}.txt").write_text("".join(rows), encoding="utf-8")
    labels = PageLabelFiles(
        root=root, train="train.txt", val="val.txt", test="test.txt", kind="paddleocr"
    )
    return prepare_pages(
        store, name="toy", labels=labels, limits=PAGE_LIMITS, split=SPLIT, copies=COPIES
    ).key


def _regions(lines: Lines) -> list[dict[str, object]]:
    regions: list[dict[str, object]] = []
    for (x, y), text in lines.items():
        right, bottom = x + CELL_PX * len(text), y + HEIGHT_PX
        points = [[x, y], [right, y], [right, bottom], [x, bottom]]
        regions.append({"transcription": text, "points": points})
    return regions
