"""Preparation against its floor: `python -m bench.prepare --images 20000`.

The floor reads, hashes and decodes every image in one process and keeps nothing; `again` is a
preparation that finds its snapshot in the store. Each side runs on its own, twice in turn; the
better run counts. CPU time tells the sides apart on a busy machine too. Both it and the peak of
memory include the children's (of memory: the largest child's).
"""

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from configs.dataset import MAX_PIXELS
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.limits import LineLimits
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.split import SplitRule
from ocr.store import open_store

LABELS = "rec_train.txt"
WIDTH, HEIGHT = 94, 24
SIDES = ("floor", "prepare", "again")


class Figures(NamedTuple):
    """What one side took."""

    seconds: float
    cpu_seconds: float
    peak_mib: float


def main() -> None:
    """Make the images, time each side, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=20_000, help="Crops to prepare")
    parser.add_argument("--rounds", type=int, default=2, help="Runs of each side")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    parser.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--store", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side:
        run_side(arguments.side, root=arguments.root, store=arguments.store)
    else:
        compare(images=arguments.images, rounds=arguments.rounds)


def compare(*, images: int, rounds: int) -> None:
    """Time the sides in turn and print samples/s, their ratio and peak memory."""
    with tempfile.TemporaryDirectory(prefix="bench-prepare-") as folder:
        root = Path(folder) / "data"
        make_crops(root, images)
        runs: dict[str, list[Figures]] = {side: [] for side in SIDES}
        for number in range(rounds):
            for side in SIDES:
                runs[side].append(start_side(side, root=root, store=f"{folder}/store{number}"))
    best = {side: min(times) for side, times in runs.items()}
    print(f"{images} crops of {WIDTH}x{HEIGHT}, best of {rounds}")
    for side, (seconds, cpu_seconds, peak_mib) in best.items():
        speed = f"{images / seconds:>9.0f} samples/s  {seconds:>7.2f} s"
        print(f"{side:>8}  {speed}  {cpu_seconds:>7.2f} s CPU  {peak_mib:>5.0f} MiB")
    floor, prepare = best["floor"], best["prepare"]
    print(f"prepare / floor = {floor.seconds / prepare.seconds:.2f} of its speed")


def make_crops(root: Path, count: int) -> None:
    """Write distinct JPEG crops and their labels, about 2.5 KB each, 1000 a folder."""
    rng = np.random.default_rng(0)
    root.mkdir()
    with (root / LABELS).open("w", encoding="utf-8") as labels:
        for number in range(count):
            text = f"{number * 7919 % 10_000_000:07}"
            coarse = rng.integers(40, 250, size=(6, 24, 3)).astype(np.uint8)
            image = cv2.resize(coarse, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
            cv2.putText(image, text, (2, 18), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 1)
            path = root / f"{number // 1000:04}" / f"{number:07}.jpg"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(cv2.imencode(".jpg", image)[1].tobytes())
            labels.write(f"{path.relative_to(root)}\t{text}\n")


def start_side(side: str, *, root: Path, store: str) -> Figures:
    """Run one side in its own process; returns its figures."""
    command = [sys.executable, "-m", "bench.prepare", "--side", side]
    command += ["--root", str(root), "--store", store]
    run = subprocess.run(command, capture_output=True, check=True, text=True, env=os.environ)
    return Figures(**json.loads(run.stdout))


def run_side(side: str, *, root: Path, store: str) -> None:
    """Run one side here and print its figures as JSON."""
    start = time.perf_counter()
    if side == "floor":
        run_floor(root)
    else:
        made = prepare_lines(
            open_store(store),
            name="bench",
            labels=LineLabelFiles("paddleocr", root, LABELS),
            limits=LineLimits(
                min_side_px=8, max_pixels=MAX_PIXELS, max_text_length=80, max_bad_share=0.1
            ),
            split=SplitRule(val_share=0.1, test_share=0.1, seed=0),
            near_duplicate_bits=24,
        )
        if made.cached != (side == "again") or made.counts["quarantined"]:
            raise SystemExit(f"{side}: unexpected result {made}")
    seconds = time.perf_counter() - start
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    figures = Figures(
        seconds=seconds,
        cpu_seconds=sum(usage.ru_utime + usage.ru_stime for usage in usages),
        peak_mib=sum(usage.ru_maxrss for usage in usages) / 1024,
    )
    print(json.dumps(figures._asdict()))


def run_floor(root: Path) -> None:
    """Read, hash and decode every image."""
    with (root / LABELS).open(encoding="utf-8") as labels:
        for line in labels:
            data = (root / line.split("\t")[0]).read_bytes()
            hashlib.sha256(data).hexdigest()
            cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)


if __name__ == "__main__":
    main()
