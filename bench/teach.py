"""What fast nets learn from what an accurate one read: ``python -m bench.teach --root FOLDER``.

FOLDER is a set with det_{train,val,test}.txt. Of its train pages some count as labelled; the
teacher learns from these, reads the others, and its sure lines are labels that nobody checks, as
`ocrline annotate --sure` writes them. Then the fast recogniser learns from both, and, in about as
many steps, from the labelled pages alone; the fast detector learns from these in either case.
Hours on two cores; minutes with few epochs (``--set``).
"""

import argparse
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from bench.annotate import train_pipeline
from bench.gaps import print_table
from configs.dataset import MAX_PIXELS
from ocr.dataset.pages.labelled_pages import read_labelled_pages
from ocr.errors import BadInput
from ocr.evaluation.pages.counts import PageCounts
from ocr.evaluation.pages.metrics import count_reading
from ocr.proposal.unchecked import LABELS, label_unchecked
from ocr.reading.page_reader import ReadsPages

READ = "read-unchecked"


def main() -> None:
    """Train, read, train twice more, and print how well each reads the test pages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--root", type=Path, required=True, help="Folder of det_*.txt")
    parser.add_argument("--labelled", type=int, default=60, help="Train pages that are labelled")
    parser.add_argument("--sure", type=float, default=0.95, help="As of ocrline annotate")
    parser.add_argument("--preset", default="receipts", help="Of the fast nets")
    parser.add_argument("--teacher", default="receipts-accurate", help="Preset of the teacher")
    parser.add_argument("--set", action="append", default=[], help="key.path=value of all")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-teach-") as folder:
        os.environ["OCRLINE_HOME"] = folder
        os.environ["OCRLINE_STORE"] = str(Path(folder, "store"))
        root = Path(folder, "data")
        shutil.copytree(arguments.root, root)
        labelled, others = split_labels(root, arguments.labelled)
        own = [f"dataset.root={root}", f"dataset.train_labels={labelled.name}", *arguments.set]
        teacher = train_pipeline(arguments.teacher, own)
        read = label_unchecked(
            track(others, "reading", console=Console(stderr=True), transient=True),
            root / READ,
            within=root,
            reader=teacher,
            sure=arguments.sure,
            max_pixels=MAX_PIXELS,
        )
        unchecked = f"dataset.more_labels=[{{labels: {READ}/{LABELS}, checked: false}}]"
        taught = train_pipeline(arguments.preset, [*own, unchecked])
        longer = lengthen(arguments.preset, own, 1 + read.labels / count_lines(labelled))
        alone = train_pipeline(arguments.preset, [*own, longer])
        print_table(
            {
                f"{arguments.labelled} labelled pages": count(alone, root),
                f"and {read.labels} lines of {read.pages} pages": count(taught, root),
                "the teacher": count(teacher, root),
            },
            of="learnt from",
        )


def split_labels(root: Path, count: int) -> tuple[Path, list[Path]]:
    """Write a label file of so many train pages, drawn at random; return it and other images."""
    rows = (root / "det_train.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    if not 0 < count < len(rows):
        raise BadInput(f"--labelled {count}, expected 1 to {len(rows) - 1} of the train pages")
    order = np.random.default_rng(0).permutation(len(rows)).tolist()
    labelled = root / "labelled.txt"
    labelled.write_text("".join(rows[at] for at in order[:count]), encoding="utf-8")
    return labelled, [root / rows[at].split("\t")[0] for at in order[count:]]


def count_lines(labels: Path) -> int:
    """Count the lines that somebody transcribed."""
    pages, _ = read_labelled_pages(labels, max_pixels=MAX_PIXELS)
    return sum(bool(region.text) and not region.ignored for p in pages for region in p.regions)


def lengthen(preset: str, changes: Sequence[str], factor: float) -> str:
    """Return what trains the recogniser of a preset so many times longer."""
    from configs.presets import load_params
    from configs.retrain import RetrainPagesParams

    params = load_params(preset, overrides=changes)
    if not isinstance(params, RetrainPagesParams):
        raise TypeError(f"{preset} is no preset for pages")
    return f"recogniser.epochs={round(params.recogniser.epochs * factor)}"


def count(reader: ReadsPages, root: Path) -> list[PageCounts]:
    """Count what is right and wrong on the test pages."""
    test, _ = read_labelled_pages(root / "det_test.txt", max_pixels=MAX_PIXELS)
    return [count_reading(reader.read(page.image()), page.regions) for page in test]


if __name__ == "__main__":
    main()
