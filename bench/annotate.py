"""What checking the suggested pages first gains over checking any: ``python -m bench.annotate``.

``--root FOLDER`` is a set with det_{train,val,test}.txt, whose labels play the person. The train
pages are read as `ocrline annotate` reads them; a page's corrections are the lines to retype, to
add and to take out until its reading is its label. ``--train 20 40`` also trains both nets, with
the preset receipts and ``--set`` as of `ocrline retrain`, on so many pages in the order that is
suggested (half of them at random), by usefulness alone and all at random, and has them read the
test pages: hours on two cores, minutes with few epochs.
"""

import argparse
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from cli.reading import load_page_reader
from configs.dataset import MAX_PIXELS
from ocr.dataset.pages.copies import page_hash
from ocr.dataset.pages.labelled_pages import LabelledPage, read_labelled_pages
from ocr.evaluation.pages.counts import count_page
from ocr.evaluation.pages.matching import match_page
from ocr.evaluation.pages.metrics import measure_pages
from ocr.image.pixels import to_grey
from ocr.proposal.page import PageSource, ProposedPage
from ocr.proposal.shelf import PageShelf
from ocr.proposal.usefulness import TURNS, Turn
from ocr.reading.page_reader import ReadsPages

DRAWS = 200
SHARES = (0.1, 0.2, 0.3, 0.5)
ORDERS = ("half", "useful", "random")
Order = Sequence[int]


@dataclass(frozen=True)
class Checked:
    """What a person who checks every page meets.

    Attributes:
        names: Images of the pages.
        corrections: (N,) lines to retype, to add and to take out of each.
        lines: (N,) labelled lines.
        words: The labelled words of each.
        half: The pages as `ocrline annotate` orders them, half of them at random.
        useful: The useful ones of these alone.
        doubted: By doubt alone.
    """

    names: Sequence[str]
    corrections: NDArray[np.int64]
    lines: NDArray[np.int64]
    words: Sequence[frozenset[str]]
    half: Order
    useful: Order
    doubted: Order


def main() -> None:
    """Read, order, count, print, and train where it is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--root", type=Path, required=True, help="Folder of det_*.txt")
    parser.add_argument("--pages", type=int, default=0, help="The first N train pages; 0: all")
    parser.add_argument("--model", default="rapidocr", help="What reads: as of ocrline annotate")
    parser.add_argument("--train", type=int, nargs="+", default=[], help="Counts of checked pages")
    parser.add_argument("--orders", nargs="+", default=[*ORDERS], choices=ORDERS, help="Of --train")
    parser.add_argument("--set", action="append", default=[], help="key.path=value of the preset")
    arguments = parser.parse_args()
    pages, _ = read_labelled_pages(arguments.root / "det_train.txt", max_pixels=MAX_PIXELS)
    checked = check(pages[: arguments.pages or None], load_page_reader(arguments.model, store=""))
    print_corrections(checked)
    if arguments.train:
        every = {
            "half": checked.half,
            "useful": checked.useful,
            "random": draw_order(checked, seed=0),
        }
        orders = {name: every[name] for name in arguments.orders}
        print_curve(arguments.root, checked.names, orders, arguments.train, arguments.set)


def check(pages: Sequence[LabelledPage], reader: ReadsPages) -> Checked:
    """Read pages, order them, and compare them with their labels."""
    corrections, lines, doubts = [], [], []
    with tempfile.TemporaryFile() as file:
        shelf = PageShelf(file)
        for page in track(pages, "reading", console=Console(stderr=True), transient=True):
            image = page.image()
            source = PageSource(Path(page.name), 1, 1, page.name, page.name)
            found = ProposedPage(source, image.shape[1], image.shape[0], reader.read(image).lines)
            shelf.put(found, page_hash=page_hash(to_grey(image)))
            match = match_page(page.regions, [line.polygon for line in found.lines])
            counts = count_page(page.regions, found.lines, match)
            wrong = counts.texts + counts.readings - counts.compared - counts.read
            corrections.append(wrong)
            lines.append(counts.texts)
            doubts.append(found.doubt)
        half, useful = _order(shelf, TURNS), _order(shelf, ("useful",))
    return Checked(
        names=[page.name for page in pages],
        corrections=np.array(corrections),
        lines=np.array(lines),
        words=[frozenset(" ".join(r.text for r in page.regions).split()) for page in pages],
        half=half,
        useful=useful,
        doubted=np.argsort(-np.array(doubts), kind="stable").tolist(),
    )


def _order(shelf: PageShelf, turns: Sequence[Turn]) -> Order:
    choices = shelf.choose(budget=len(shelf), known=(), turns=turns)
    return [choice.index for choice in choices]


def draw_order(checked: Checked, *, seed: int) -> Order:
    """Return the pages in a random order."""
    order: list[int] = np.random.default_rng(seed).permutation(len(checked.names)).tolist()
    return order


def print_corrections(checked: Checked) -> None:
    """Print what is met of all corrections and words when so many pages are checked."""
    draws = [draw_order(checked, seed=seed) for seed in range(DRAWS)]
    worst = np.argsort(-checked.corrections).tolist()
    fixed: dict[str, tuple[Order, ...]] = {
        "half": (checked.half,),
        "useful": (checked.useful,),
        "by doubt alone": (checked.doubted,),
        f"random, {DRAWS} draws: mean, 95 %": tuple(draws),
        "best possible": (worst,),
    }
    table = Table("pages checked", "order", "of all corrections", "per labelled line", "words")
    for share in SHARES:
        count = max(1, round(share * len(checked.names)))
        for name, orders in fixed.items():
            firsts = [list(order[:count]) for order in orders]
            table.add_row(
                str(count),
                name,
                _spread([_share(checked.corrections, first) for first in firsts]),
                _spread([_rate(checked, first) for first in firsts]),
                f"{np.mean([len(_words(checked, first)) for first in firsts]):.0f}",
            )
    total = f"{checked.corrections.sum()} corrections, {checked.lines.sum()} labelled lines"
    Console(width=110).print(table, f"{len(checked.names)} pages, {total}")


def _share(corrections: NDArray[np.int64], first: list[int]) -> float:
    return float(corrections[first].sum() / max(1, corrections.sum()))


def _rate(checked: Checked, first: list[int]) -> float:
    return float(checked.corrections[first].sum() / max(1, checked.lines[first].sum()))


def _words(checked: Checked, first: list[int]) -> frozenset[str]:
    return frozenset().union(*(checked.words[index] for index in first))


def _spread(values: Sequence[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:.3f}"
    low, high = np.quantile(values, (0.025, 0.975))
    return f"{np.mean(values):.3f} ({low:.3f} to {high:.3f})"


def print_curve(
    root: Path,
    names: Sequence[str],
    orders: Mapping[str, Order],
    counts: Sequence[int],
    changes: Sequence[str],
) -> None:
    """Train on the first pages of each order, and print how well the test pages are read."""
    table = Table("pages checked", *(f"e2e Hmean, {name}" for name in orders))
    rows = (root / "det_train.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    labels = {row.split("\t")[0]: row for row in rows}
    with tempfile.TemporaryDirectory(prefix="bench-annotate-") as folder:
        os.environ["OCRLINE_HOME"] = folder
        os.environ["OCRLINE_STORE"] = str(Path(folder, "store"))
        for count in counts:
            cells = []
            for name, order in orders.items():
                file = Path(folder, f"{name}-{count}.txt")
                chosen = (labels[names[index]] for index in order[:count])
                file.write_text("".join(chosen), encoding="utf-8")
                cells.append(f"{train_and_read(root, file, changes):.4f}")
            table.add_row(str(count), *cells)
    Console(width=110).print(table)


def train_and_read(root: Path, labels: Path, changes: Sequence[str]) -> float:
    """Run the stages on a label file up to the pipeline; return its Hmean on the test pages."""
    own = [f"dataset.root={root}", f"dataset.train_labels={labels}"]
    reader = train_pipeline("receipts", [*own, *changes])
    test, _ = read_labelled_pages(root / "det_test.txt", max_pixels=MAX_PIXELS)
    readings = [reader.read(page.image()) for page in test]
    return measure_pages(readings, [page.regions for page in test]).e2e_hmean


def train_pipeline(preset: str, changes: Sequence[str]) -> ReadsPages:
    """Run the stages of a preset for pages up to the pipeline, and load it."""
    from configs.presets import load_params
    from configs.retrain import RetrainPagesParams
    from tasks.assembling.assemble import assemble_pipeline
    from tasks.export import export_detector, export_recogniser
    from tasks.prepare_pages import crop_pages, prepare_pages
    from tasks.readers import load_pipeline
    from tasks.train import train_detector, train_recogniser
    from tasks.workspace import open_workspace

    params = load_params(preset, overrides=changes)
    if not isinstance(params, RetrainPagesParams):
        raise TypeError(f"{preset} is no preset for pages")
    pages = prepare_pages.fn(params.dataset)
    crops = crop_pages.fn(pages, params.dataset, params.recogniser_name)
    finding = train_detector.fn(pages, params.detector, params.resources)
    reading = train_recogniser.fn(crops, params.recogniser, params.resources)
    pipeline = assemble_pipeline.fn(
        params.name,
        export_detector.fn(finding, pages, params.detector_name, params.detector),
        export_recogniser.fn(reading, crops, params.recogniser_name, params.recogniser),
        pages,
    )
    return load_pipeline(open_workspace(), pipeline.reference)


if __name__ == "__main__":
    main()
