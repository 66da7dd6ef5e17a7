"""What each part of reading gains and costs: ``python -m bench.reading MODEL [MODEL ...]``.

Reads the test lines of a dataset with a model off the shelf and with recorded recognisers, each by
its net alone and with a model of its texts, and pipelines with two recognisers as their cascade;
then what a detector finds of such lines on the test pages, as a recogniser that bears boxes a
little off shows it only there. Each row is compared with another, by its number: what more is read
right, with the 95 % interval by document, and how many times its processor time it takes.
"""

import argparse

from rich.console import Console

from bench.reading.learnt import find_learners
from bench.reading.lines import find_lines, list_lines
from bench.reading.readers import find_dataset, list_readers
from bench.reading.table import tabulate
from ocr.models.pipeline import read_pipeline
from tasks.readers import LINE_BASELINES, load_detector
from tasks.workspace import open_workspace

WIDTH = 180


def main() -> None:
    """Read both sets of lines with everybody and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "models",
        nargs="+",
        metavar="MODEL",
        help="NAME, NAME@alias or NAME:version of recognisers and pipelines; each is compared "
        "with the one before",
    )
    parser.add_argument("--detector", help="One that finds lines; else the first pipeline's")
    parser.add_argument("--baseline", default="rapidocr", choices=[*LINE_BASELINES, "none"])
    arguments = parser.parse_args()
    workspace = open_workspace()
    models = [workspace.registry.resolve(reference) for reference in arguments.models]
    pipelines = (workspace.fetch_bundle(model) for model in models if model.task == "pipeline")
    detectors = (read_pipeline(bundle).detector for bundle in pipelines)
    snapshot, readers = list_readers(workspace, models, baseline=arguments.baseline)
    sets = {"labelled": list_lines(snapshot)}
    learners = [*find_learners(workspace, models, list(snapshot.samples("test")), of="lines")]
    if name := arguments.detector or next(detectors, ""):
        pages = workspace.open_pages(find_dataset(workspace, workspace.registry.resolve(name)))
        sets[f"found by {name}"] = find_lines(load_detector(workspace, name), pages)
        tested = list(pages.samples("test"))
        learners += find_learners(workspace, models, tested, of=f"pages of {name}")
    Console(width=WIDTH).print(tabulate(sets, readers), *learners, sep="\n")


if __name__ == "__main__":
    main()
