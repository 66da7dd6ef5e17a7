"""A toy job: lines of digits drawn with cv2, small enough to learn in seconds."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ocr.dataset.limits import Limits
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.split import SplitRule
from ocr.image.pixels import Image
from ocr.store import open_store

ROOT = Path(__file__).resolve().parents[2]
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


def make_snapshot(folder: Path, *, texts: dict[str, list[str]], seed: int = 0) -> dict[str, str]:
    """Prepare a snapshot of drawn texts per split; return the job's keys that name it."""
    rng = np.random.default_rng(seed)
    images = folder / "images"
    images.mkdir(parents=True)
    for split, lines in texts.items():
        rows = []
        for number, text in enumerate(lines):
            path = images / f"{split}{number:04d}.png"
            cv2.imwrite(str(path), draw_digits(text, rng=rng))
            rows.append(f"images/{path.name}\t{text}\n")
        (folder / f"{split}.txt").write_text("".join(rows), encoding="utf-8")
    reference = prepare_lines(
        open_store(str(folder / "store")),
        name="toy",
        labels=LineLabelFiles(
            "paddleocr", folder, train="train.txt", val="val.txt", test="test.txt"
        ),
        limits=Limits(),
        split=SplitRule(),
    )
    return {"store": str(folder / "store"), "snapshot": reference.key}


def random_texts(count: int, *, lengths: tuple[int, int], seed: int) -> list[str]:
    """Draw digit strings."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(lengths[0], lengths[1] + 1, count)
    return ["".join(str(digit) for digit in rng.integers(0, 10, size)) for size in sizes]


def write_job(folder: Path, snapshot: dict[str, str], *, devices: int = 1, **training: Any) -> Path:
    """Write job.json for a snapshot."""
    folder.mkdir(parents=True, exist_ok=True)
    job = {
        **snapshot,
        "training": TRAINING | training,
        "resources": {"device": "cpu", "devices": devices},
    }
    path = folder / "job.json"
    path.write_text(json.dumps(job), encoding="utf-8")
    return path


def start(
    job: Path, *, command: str = "train-recogniser", **options: Any
) -> "subprocess.Popen[str]":
    """Start ``python -m training``."""
    return subprocess.Popen(
        [sys.executable, "-m", "training", command, str(job)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def run(job: Path, *, command: str = "train-recogniser", **options: Any) -> tuple[int, str]:
    """Run ``python -m training`` to its end; return exit code and stderr."""
    with start(job, command=command, **options) as process:
        _, errors = process.communicate(timeout=120)
    return process.returncode, errors
