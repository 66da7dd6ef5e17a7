"""Toy pages: words drawn with cv2 on light paper, few and large enough to learn in seconds."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.preparation import prepare_pages
from ocr.dataset.pages.region import Region
from ocr.image.pixels import Image
from ocr.store import open_store
from tests.ocr.dataset.rules import COPIES, PAGE_LIMITS, SPLIT
from tests.training.running import write_job

TRAINING = {
    "size": "small",
    "long_side_px": 320,
    "crop_height_px": 128,
    "crop_width_px": 160,
    "epochs": 1,
    "evaluations": 2,
    "no_progress_timeout_s": 60,
}
WORDS = ("TOTAL", "12.50", "CASH", "ROUND", "77", "1 YOU")


def draw_page(rng: np.random.Generator) -> tuple[Image, tuple[Region, ...]]:
    """Draw a page of 320 x 256 with a word or two on each of five lines."""
    page = np.full((256, 320, 3), int(rng.integers(190, 250)), np.uint8)
    regions = []
    for top in range(16, 240, 46):
        for left in (10, 170)[: int(rng.integers(1, 3))]:
            word = str(rng.choice(WORDS))
            regions.append(_write(page, word, left + int(rng.integers(8)), top))
    noise = rng.integers(-8, 9, page.shape)
    return (page.astype(np.int16) + noise).clip(0, 255).astype(np.uint8), tuple(regions)


def make_page_snapshot(folder: Path, *, counts: dict[str, int]) -> dict[str, str]:
    """Prepare a snapshot of drawn pages per split; return the job's keys that name it."""
    rng = np.random.default_rng(0)
    (folder / "images").mkdir(parents=True)
    for split, count in counts.items():
        rows = []
        for number in range(count):
            name = f"images/{split}{number:03d}.png"
            image, regions = draw_page(rng)
            cv2.imwrite(str(folder / name), image)
            labels = [{"transcription": r.text, "points": r.polygon} for r in regions]
            rows.append(f"{name}\t{json.dumps(labels)}\n")
        (folder / f"{split}.txt").write_text("".join(rows), encoding="utf-8")
    reference = prepare_pages(
        open_store(str(folder / "store")),
        name="toy",
        labels=PageLabelFiles(
            "paddleocr", folder, train="train.txt", val="val.txt", test="test.txt"
        ),
        limits=PAGE_LIMITS,
        split=SPLIT,
        copies=COPIES,
    )
    return {"store": str(folder / "store"), "snapshot": reference.key}


def write_detector_job(
    folder: Path, snapshot: dict[str, str], *, devices: int = 1, **training: Any
) -> Path:
    """Write job.json for a snapshot."""
    return write_job(
        folder, snapshot, kind="train-detector", devices=devices, training=TRAINING | training
    )


def _write(page: Image, word: str, left: int, top: int) -> Region:
    (width, height), _ = cv2.getTextSize(word, cv2.FONT_HERSHEY_SIMPLEX, 0.9, 2)
    place = (left, top + height)
    cv2.putText(page, word, place, cv2.FONT_HERSHEY_SIMPLEX, 0.9, (40,) * 3, 2, cv2.LINE_AA)
    right, bottom = left + width, top + height
    return Region(((left, top), (right, top), (right, bottom), (left, bottom)), word)
