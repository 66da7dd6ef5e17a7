"""Toy lines: digits drawn with cv2, few and small enough to learn in seconds."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.image.pixels import Image
from ocr.store import open_store
from tests.ocr.dataset.rules import LINE_LIMITS, NEAR_BITS, SPLIT
from tests.training.running import write_job

TRAINING = {
    "layout": "fixed",
    "height_px": 16,
    "width_px": 64,
    "size": "small",
    "epochs": 2,
    "batch_size": 8,
    "evaluations": 2,
    "no_progress_timeout_s": 60,
}


def draw_digits(text: str, *, rng: np.random.Generator) -> Image:
    """Draw a text in light on dark, or dark on light."""
    ink, paper = (230, 40) if rng.random() < 0.5 else (30, 210)
    image = np.full((20, 14 * len(text) + 6, 3), paper, np.uint8)
    origin = (4 + int(rng.integers(-1, 2)), 15 + int(rng.integers(-1, 2)))
    cv2.putText(image, text, origin, cv2.FONT_HERSHEY_PLAIN, 1.2, (ink,) * 3, 1, cv2.LINE_AA)
    noise = rng.integers(-12, 13, image.shape)
    return (image.astype(np.int16) + noise).clip(0, 255).astype(np.uint8)


def make_line_snapshot(
    folder: Path, *, texts: dict[str, list[str]], upright: str = ""
) -> dict[str, str]:
    """Prepare a snapshot of drawn texts per split, one of which may run downwards.

    Returns:
        The job's keys that name it.
    """
    rng = np.random.default_rng(0)
    images = folder / "images"
    images.mkdir(parents=True)
    for split, lines in texts.items():
        rows = []
        for number, text in enumerate(lines):
            path = images / f"{split}{number:04d}.png"
            image = draw_digits(text, rng=rng)
            cv2.imwrite(str(path), cv2.transpose(image) if text == upright else image)
            rows.append(f"images/{path.name}\t{text}\n")
        (folder / f"{split}.txt").write_text("".join(rows), encoding="utf-8")
    reference = prepare_lines(
        open_store(str(folder / "store")),
        name="toy",
        labels=LineLabelFiles(
            "paddleocr", folder, train="train.txt", val="val.txt", test="test.txt"
        ),
        limits=LINE_LIMITS,
        split=SPLIT,
        near_duplicate_bits=NEAR_BITS,
    )
    return {"store": str(folder / "store"), "snapshot": reference.key}


def random_texts(count: int, *, lengths: tuple[int, int], seed: int) -> list[str]:
    """Draw digit strings."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(lengths[0], lengths[1] + 1, count)
    return ["".join(str(digit) for digit in rng.integers(0, 10, size)) for size in sizes]


def write_recogniser_job(
    folder: Path, snapshot: dict[str, str], *, devices: int = 1, **training: Any
) -> Path:
    """Write job.json for a snapshot."""
    return write_job(
        folder, snapshot, kind="train-recogniser", devices=devices, training=TRAINING | training
    )
