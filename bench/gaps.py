"""What parting lines and setting some aside gains: ``python -m bench.gaps --labels FILE``.

The pages of the label file are read once by a registered pipeline that has a gap model. Beside its
lines as the detector found them, and as the model parts them, stand those of the obvious rule:
parted at every gap that is wider than a limit. The last row leaves out what the pipeline sets
aside. Intervals are by page.
"""

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from configs.dataset import MAX_PIXELS
from ocr.dataset.pages.labelled_pages import read_labelled_pages
from ocr.errors import BadInput
from ocr.evaluation.bootstrap import Resampling
from ocr.evaluation.pages.comparison import estimate_change
from ocr.evaluation.pages.counts import PageCounts
from ocr.evaluation.pages.metrics import count_reading, sum_pages, summarise_pages
from ocr.models.gap_model import BUCKETS, GapModel
from ocr.models.pipeline import read_gap_model, read_pipeline
from tasks.readers import load_pipeline
from tasks.workspace import Workspace, open_workspace

LIMITS = (0.6, 0.8, 1.0, 1.3, 1.7, 2.2, 3.0)
"""Heights of a line."""


def main() -> None:
    """Read the pages, part them in every way, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--model", default="receipts", help="NAME, NAME@alias or NAME:version")
    parser.add_argument("--labels", type=Path, required=True, help="PaddleOCR detection labels")
    arguments = parser.parse_args()
    workspace = open_workspace()
    model, least = find_rules(workspace, arguments.model)
    reader = load_pipeline(workspace, arguments.model)
    pages, _ = read_labelled_pages(arguments.labels, max_pixels=MAX_PIXELS)
    ways: dict[str, tuple[GapModel | None, float]] = {
        "as found": (None, 0.0),
        **{f"wider than {limit} heights": (wider_than(limit), 0.0) for limit in LIMITS},
        f"gap model, above {model.cut_above:.0%}": (model, 0.0),
        f"and set aside below {least:.0%}": (model, least),
    }
    found: dict[str, list[PageCounts]] = {name: [] for name in ways}
    reading_s = parting_s = 0.0
    lines_read = lines_aside = 0
    for page in track(pages, "reading", console=Console(stderr=True), transient=True):
        image = page.image()
        started = time.process_time()
        placed = reader.place(image)
        read = time.process_time()
        parted = placed.parted(model)
        reading_s += read - started
        parting_s += time.process_time() - read
        told = parted.to_reading(min_confidence=least)
        lines_read += len(parted.lines)
        lines_aside += len(told.set_aside)
        for name, (gaps, min_confidence) in ways.items():
            lines = parted if gaps is model else placed.parted(gaps) if gaps else placed
            reading = lines.to_reading(min_confidence=min_confidence)
            found[name].append(count_reading(reading, page.regions))
    print_table(found, of="lines")
    print(f"{lines_aside} of {lines_read} lines are set aside")
    print(f"parting takes {parting_s / reading_s:.1%} of the processor time of reading a page")


def find_rules(workspace: Workspace, reference: str) -> tuple[GapModel, float]:
    """Return the gap model of a pipeline, and below which confidence it sets lines aside."""
    folder = workspace.fetch_bundle(workspace.registry.resolve(reference))
    manifest = read_pipeline(folder)
    model = read_gap_model(folder, manifest)
    if model is None:
        raise BadInput(f"{reference} has no gap model: it would not have helped; name another")
    return model, manifest.min_confidence or 0.0


def wider_than(heights: float) -> GapModel:
    """Return a model that parts at gaps wider than so many heights, whatever stands there."""
    weights = np.zeros(BUCKETS, dtype=np.float32)
    weights[0] = 1  # of the logarithm of the width
    return GapModel(weights, heights / (1 + heights))


def print_table(found: Mapping[str, Sequence[PageCounts]], *, of: str) -> None:
    """Print detection and end to end of each way, and the change from the first."""
    table = Table(of, "detection", "precision", "recall", "end to end", "change, 95 %")
    first = sum_pages(next(iter(found.values())))["e2e_hmean"]
    for name, counts in found.items():
        metrics = summarise_pages(counts)
        draws = Resampling(np.arange(len(counts)), resamples=2000, seed=0)
        change = estimate_change(sum_pages(counts)["e2e_hmean"], first, draws, confidence=0.95)
        table.add_row(
            name,
            f"{metrics.hmean:.4f}",
            f"{metrics.precision:.4f}",
            f"{metrics.recall:.4f}",
            f"{metrics.e2e_hmean:.4f}",
            f"{change.value:+.4f} ({change.lower:+.4f} to {change.upper:+.4f})",
        )
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
