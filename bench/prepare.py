"""Preparation against its floor: `python -m bench.prepare --images 20000`.

The floor reads, hashes and decodes every image in one process and keeps nothing; `again` is a
preparation that finds its snapshot in the store. Each side runs on its own, twice in turn; the
better run counts. The peak of memory is that of the process, plus that of its largest child.
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

import cv2
import numpy as np

from ocr.labels import LabelFiles
from ocr.preparation import prepare_snapshot
from ocr.split import SplitRule
from ocr.store import open_store
from ocr.validation import Limits

LABELS = "rec_train.txt"
WIDTH, HEIGHT = 94, 24
SIDES = ("floor", "prepare", "again")


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
        runs: dict[str, list[tuple[float, float]]] = {side: [] for side in SIDES}
        for number in range(rounds):
            for side in SIDES:
                runs[side].append(start_side(side, root=root, store=f"{folder}/store{number}"))
    best = {side: min(times) for side, times in runs.items()}
    print(f"{images} crops of {WIDTH}x{HEIGHT}, best of {rounds}")
    for side, (seconds, peak_mib) in best.items():
        speed = f"{images / seconds:>9.0f} samples/s"
        print(f"{side:>8}  {speed}  {seconds:>7.2f} s  {peak_mib:>5.0f} MiB")
    print(f"prepare / floor = {best['floor'][0] / best['prepare'][0]:.2f} of its speed")


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


def start_side(side: str, *, root: Path, store: str) -> tuple[float, float]:
    """Run one side in its own process; returns seconds and MiB."""
    command = [sys.executable, "-m", "bench.prepare", "--side", side]
    command += ["--root", str(root), "--store", store]
    run = subprocess.run(command, capture_output=True, check=True, text=True, env=os.environ)
    result = json.loads(run.stdout)
    return result["seconds"], result["peak_mib"]


def run_side(side: str, *, root: Path, store: str) -> None:
    """Run one side here and print its figures as JSON."""
    start = time.perf_counter()
    if side == "floor":
        run_floor(root)
    else:
        made = prepare_snapshot(
            open_store(store),
            name="bench",
            labels=LabelFiles("paddleocr", root, LABELS),
            limits=Limits(),
            split=SplitRule(),
        )
        if made.cached != (side == "again") or made.counts["quarantined"]:
            raise SystemExit(f"{side}: unexpected result {made}")
    seconds = time.perf_counter() - start
    peaks = [resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN]
    peak_mib = sum(resource.getrusage(who).ru_maxrss for who in peaks) / 1024
    print(json.dumps({"seconds": seconds, "peak_mib": peak_mib}))


def run_floor(root: Path) -> None:
    """Read, hash and decode every image."""
    with (root / LABELS).open(encoding="utf-8") as labels:
        for line in labels:
            data = (root / line.split("\t")[0]).read_bytes()
            hashlib.sha256(data).hexdigest()
            cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)


if __name__ == "__main__":
    main()
