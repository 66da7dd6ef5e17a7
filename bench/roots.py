"""A folder of images beside a tar and an LMDB file of the same: `python -m bench.roots`.

Of each, in a process of its own: `open` reads the headers of a tar file or verifies an LMDB file,
which a preparation does once; `read` reads every image by the name that its row gives; `prepare` is
the whole preparation. Times are CPU times with those of children, the best of the rounds, and the
files are in the cache of the file system: what a disk that must seek would add for a folder of
small files is not in them. Memory is counted as `bench.prepare` counts it.
"""

import argparse
import json
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal, get_args

import lmdb

from bench.prepare import cpu_seconds, make_crops, run_watched
from configs.dataset import MAX_PIXELS
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.limits import LineLimits
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.split import SplitRule
from ocr.store import open_store

Kind = Literal["folder", "tar", "lmdb"]
Work = Literal["open", "read", "prepare"]
KINDS: tuple[Kind, ...] = get_args(Kind)
WORKS: tuple[Work, ...] = get_args(Work)
LABELS = "labels.txt"
_MIB = 1 << 20


def main() -> None:
    """Make the three, measure each, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000, help="Images")
    parser.add_argument("--rounds", type=int, default=3, help="Runs of each")
    parser.add_argument("--folder", type=Path, help="Where ten kilobytes a row find room")
    parser.add_argument("--work", choices=WORKS, help=argparse.SUPPRESS)
    parser.add_argument("--kind", choices=KINDS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        run_work(arguments.work, arguments.kind, arguments.folder)
        return
    with tempfile.TemporaryDirectory(dir=arguments.folder, prefix="bench-roots-") as folder:
        pack(Path(folder), rows=arguments.rows)
        compare(Path(folder), rows=arguments.rows, rounds=arguments.rounds)


def pack(folder: Path, *, rows: int) -> None:
    """Write the folder, and the same images as a tar and as an LMDB file."""
    make_crops(folder / "folder", [rows])
    labels = (folder / "folder" / f"{rows}.txt").rename(folder / LABELS)
    names = [line.split("\t") for line in labels.read_text("utf-8").splitlines()]
    with tarfile.open(folder / "tar", "w", format=tarfile.GNU_FORMAT) as tar:  # as GNU tar does
        for name, _ in names:
            tar.add(folder / "folder" / name, arcname=name)
    (folder / "lmdb").mkdir()
    size = (rows << 14) + (1 << 20)
    with lmdb.open(str(folder / "lmdb"), map_size=size) as file, file.begin(write=True) as writing:
        writing.put(b"num-samples", b"%d" % rows)
        for number, (name, text) in enumerate(names, start=1):
            writing.put(b"image-%09d" % number, (folder / "folder" / name).read_bytes())
            writing.put(b"label-%09d" % number, text.encode())


def compare(folder: Path, *, rows: int, rounds: int) -> None:
    """Measure in turn; print CPU time a row, its ratio to that of the folder, and memory."""
    runs: dict[tuple[Work, Kind], list[tuple[float, int]]] = {}
    for number in range(rounds):
        for work in WORKS:
            for kind in KINDS:
                figures = start_work(work, kind, folder, is_watched=number == 0)
                runs.setdefault((work, kind), []).append(figures)
    print(f"{rows} crops, CPU time, best of {rounds}")
    print(f"{'work':>8} {'of':>7} {'µs a row':>9} {'of folder':>10} {'MiB':>6}")
    for (work, kind), found in runs.items():
        seconds, base = (min(run[0] for run in runs[work, each]) for each in (kind, KINDS[0]))
        share = f"{seconds / base:>10.2f}" if work != "open" else f"{'':>10}"
        held = max(run[1] for run in found) / _MIB
        print(f"{work:>8} {kind:>7} {1e6 * seconds / rows:>9.1f} {share} {held:>6.0f}")


def start_work(work: Work, kind: Kind, folder: Path, *, is_watched: bool) -> tuple[float, int]:
    """Do one thing in a process of its own; returns CPU seconds and, if watched, the peak."""
    command = [sys.executable, "-m", "bench.roots", "--work", work, "--kind", kind]
    said, peak = run_watched([*command, "--folder", str(folder)], is_watched=is_watched)
    return json.loads(said), peak


def run_work(work: Work, kind: Kind, folder: Path) -> None:
    """Do one thing here and print the CPU seconds."""
    if kind == "lmdb":
        labels = LineLabelFiles("lmdb", folder, "lmdb")
    else:
        labels = LineLabelFiles("paddleocr", folder / kind, str(folder / LABELS))
    works: dict[Work, Callable[[LineLabelFiles, Path], None]] = {
        "open": open_images,
        "read": read_images,
        "prepare": prepare,
    }
    start = cpu_seconds()
    works[work](labels, folder)
    print(json.dumps(cpu_seconds() - start))


def open_images(labels: LineLabelFiles, _: Path) -> None:
    """Open the images, up to the first one."""
    row = next(labels.read())
    with labels.place().images() as images:
        images.read(row.image, max_pixels=MAX_PIXELS)


def read_images(labels: LineLabelFiles, _: Path) -> None:
    """Read every image, in the order of the rows."""
    names = [row.image for row in labels.read()]
    with labels.place().images() as images:
        for name in names:
            images.read(name, max_pixels=MAX_PIXELS)


def prepare(labels: LineLabelFiles, folder: Path) -> None:
    """Prepare a snapshot in a new store."""
    with tempfile.TemporaryDirectory(dir=folder) as store:
        made = prepare_lines(
            open_store(store),
            name="bench",
            labels=labels,
            limits=LineLimits(
                min_side_px=8, max_pixels=MAX_PIXELS, max_text_length=80, max_bad_share=0.1
            ),
            split=SplitRule(val_share=0.1, test_share=0.1, seed=0),
            near_duplicate_bits=24,
            work_folder=folder,
        )
    if made.counts["quarantined"]:
        raise SystemExit(f"unexpected result {made}")


if __name__ == "__main__":
    main()
