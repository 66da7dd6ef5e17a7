"""Preparation against its floor: `python -m bench.prepare --rows 100000 1000000`.

The floor reads, hashes and decodes every image in one process and keeps nothing; `again` is a
preparation that finds its snapshot in the store. Each side runs on its own, in turn; the better
run counts. CPU time tells the sides apart on a busy machine too; it includes the children's.

Memory is what the processes of a side hold together at most, looked at twenty times a second in
the first round, which looking slows down: time is that of the other rounds, if there are any. Each
page counts once, shared or not, mapped files too, the cache of the file system not. That of a
preparation of 2,000 rows is the base; what a larger one takes beyond it is given per row. With
several numbers of rows the last line says where the line through the two largest leads.

Images are a thousand pictures of 2.5 KB over and over, each file made different by its number in
a comment: the bytes and the work of a photograph, but a million are written in a minute. Every
tenth text stands on two images; all others differ.
"""

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import psutil

from configs.dataset import MAX_PIXELS
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.limits import LineLimits
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.split import SplitRule
from ocr.store import open_store

WIDTH, HEIGHT, PICTURES = 94, 24, 1000
SIDES = ("floor", "prepare", "again")
BASE_ROWS = 2000
FORESEEN_ROWS = 10_000_000
_MIB = 1 << 20
_EVERY_S = 0.05


class Figures(NamedTuple):
    """What one side took."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int = 0


def main() -> None:
    """Make the images, time each side, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[20_000], help="Rows to prepare")
    parser.add_argument("--rounds", type=int, default=2, help="Runs of each side")
    parser.add_argument("--folder", type=Path, help="Where ten kilobytes a row find room")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    parser.add_argument("--labels", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--store", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side:
        run_side(arguments.side, labels=arguments.labels, store=arguments.store)
        return
    with tempfile.TemporaryDirectory(dir=arguments.folder, prefix="bench-prepare-") as folder:
        compare(Path(folder), sizes=sorted(arguments.rows), rounds=arguments.rounds)


def compare(folder: Path, *, sizes: list[int], rounds: int) -> None:
    """Time the sides in turn and print, of each number of rows, speed and memory."""
    make_crops(folder / "data", [BASE_ROWS, *sizes])
    base = start_side("prepare", folder, rows=BASE_ROWS, is_watched=True).peak_bytes
    print(
        f"crops of {WIDTH}x{HEIGHT}, best of {rounds}; {BASE_ROWS} rows take {base / _MIB:.0f} MiB"
    )
    print(f"{'rows':>9} {'side':>8} {'rows/s':>8} {'CPU µs a row':>13} {'MiB':>6}")
    beyond: list[tuple[int, int]] = []
    for rows in sizes:
        best = time_sides(folder, rows=rows, rounds=rounds)
        for side, figures in best.items():
            speed = f"{rows / figures.seconds:>8.0f} {1e6 * figures.cpu_seconds / rows:>13.0f}"
            print(f"{rows:>9} {side:>8} {speed} {figures.peak_bytes / _MIB:>6.0f}")
        share = best["floor"].seconds / best["prepare"].seconds
        more = best["prepare"].peak_bytes - base
        print(
            f"{rows:>9} prepare / floor = {share:.2f} of its speed; {more / rows:.0f} bytes a row"
        )
        beyond.append((rows, more))
    if len(beyond) > 1:
        foresee(*beyond[-2:])


def time_sides(folder: Path, *, rows: int, rounds: int) -> dict[str, Figures]:
    """Run every side so many times, in turn; returns the better figures of each."""
    runs: dict[str, list[Figures]] = {side: [] for side in SIDES}
    for number in range(rounds):
        for side in SIDES:
            runs[side].append(start_side(side, folder, rows=rows, is_watched=number == 0))
        subprocess.run(["rm", "-r", folder / "store"], check=True)
    return {side: best_of(found) for side, found in runs.items()}


def best_of(runs: list[Figures]) -> Figures:
    """Join the shortest times and the highest peak of several runs."""
    seconds, cpu_seconds, peaks = zip(*runs, strict=True)
    return Figures(min(seconds), min(cpu_seconds), max(peaks))


def foresee(smaller: tuple[int, int], larger: tuple[int, int]) -> None:
    """Print where the line through two points (rows, bytes beyond the base) leads."""
    a_row = (larger[1] - smaller[1]) / (larger[0] - smaller[0])
    there = larger[1] + a_row * (FORESEEN_ROWS - larger[0])
    print(f"{a_row:.0f} bytes a further row; {FORESEEN_ROWS} rows: {there / _MIB:.0f} MiB")


def make_crops(root: Path, sizes: list[int]) -> None:
    """Write distinct JPEG crops, 1000 a folder, and a label file for each number of rows."""
    pictures = list(draw_pictures())
    root.mkdir()
    lines: list[str] = []
    for number in range(max(sizes)):
        name = f"{number // 1000:05}/{number:08}.jpg"
        if number % 1000 == 0:
            (root / name).parent.mkdir()
        start, comment = pictures[number % PICTURES], b"%010d" % number
        (root / name).write_bytes(start[:2] + b"\xff\xfe\x00\x0c" + comment + start[2:])
        text = number - (number % 10 == 9)
        lines.append(f"{name}\t{text * 7919 % 10**8:08}\n")
    for rows in sizes:
        (root / f"{rows}.txt").write_text("".join(lines[:rows]), encoding="utf-8")


def draw_pictures() -> Iterator[bytes]:
    """Yield JPEG pictures of numbers on backgrounds, none like another."""
    rng = np.random.default_rng(0)
    for number in range(PICTURES):
        coarse = rng.integers(40, 250, size=(6, 24, 3)).astype(np.uint8)
        image = cv2.resize(coarse, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
        cv2.putText(image, f"{number:07}", (2, 18), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 1)
        yield cv2.imencode(".jpg", image)[1].tobytes()


def start_side(side: str, folder: Path, *, rows: int, is_watched: bool) -> Figures:
    """Run one side in its own process; returns its figures, without a peak if it is unwatched."""
    command = [sys.executable, "-m", "bench.prepare", "--side", side]
    command += ["--labels", str(folder / "data" / f"{rows}.txt"), "--store", str(folder / "store")]
    said, peak = run_watched(command, is_watched=is_watched)
    return Figures(**json.loads(said))._replace(peak_bytes=peak)


def run_watched(command: list[str], *, is_watched: bool) -> tuple[str, int]:
    """Run a command; returns what it printed and, if it was watched, the peak of its memory.

    Raises:
        SystemExit: It failed.
    """
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        peak = 0
        while is_watched and run.poll() is None:
            peak = max(peak, held_by(psutil.Process(run.pid)))
            time.sleep(_EVERY_S)
        said = run.communicate()[0]
    if run.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {run.returncode}")
    return said, peak


def held_by(process: psutil.Process) -> int:
    """Bytes that a process and its children hold, shared ones once."""
    held = 0
    try:
        for each in (process, *process.children(recursive=True)):
            held += each.memory_full_info().pss
    except psutil.Error:  # one of them has just ended
        return held
    return held


def run_side(side: str, *, labels: Path, store: str) -> None:
    """Run one side here and print its figures as JSON."""
    start, cpu_start = time.perf_counter(), cpu_seconds()
    if side == "floor":
        run_floor(labels)
    else:
        made = prepare_lines(
            open_store(store),
            name="bench",
            labels=LineLabelFiles("paddleocr", labels.parent, labels.name),
            limits=LineLimits(
                min_side_px=8, max_pixels=MAX_PIXELS, max_text_length=80, max_bad_share=0.1
            ),
            split=SplitRule(val_share=0.1, test_share=0.1, seed=0),
            near_duplicate_bits=24,
            work_folder=labels.parent.parent,
        )
        if made.cached != (side == "again") or made.counts["quarantined"]:
            raise SystemExit(f"{side}: unexpected result {made}")
    figures = Figures(time.perf_counter() - start, cpu_seconds() - cpu_start)
    print(json.dumps(figures._asdict()))


def cpu_seconds() -> float:
    """CPU time so far, with that of the children that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def run_floor(labels: Path) -> None:
    """Read, hash and decode every image."""
    with labels.open(encoding="utf-8") as rows:
        for line in rows:
            data = (labels.parent / line.split("\t")[0]).read_bytes()
            hashlib.sha256(data).hexdigest()
            cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)


if __name__ == "__main__":
    main()
