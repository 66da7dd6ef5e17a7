"""What boxes gain by a smoothly doubled map: ``python -m bench.reading.doubling receipts``.

The compact detector draws its map at half the size of the page that it is given. Here the map of
one net, in float32, is doubled in both ways: pixels repeated, or linear between their centres.
Either gets the rule of boxes that is best on the validation pages, and finds the text of the test
pages by it.
"""

import argparse
from collections.abc import Callable, Mapping

import numpy as np
import onnx
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bench.reading.readers import find_dataset
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.dataset.split import Split
from ocr.evaluation.bootstrap import Resampling, group_codes
from ocr.evaluation.pages.comparison import estimate_change
from ocr.evaluation.pages.detection import sum_hmean, summarise_matches
from ocr.evaluation.pages.matching import match_page
from ocr.evaluation.ratio import Ratio
from ocr.image.pixels import Image
from ocr.models.bundle import ONNX_MODEL, read_detector_bundle
from ocr.models.detector_spec import PageSpec
from ocr.models.pipeline import read_pipeline
from ocr.models.registry import ModelVersion
from ocr.reading.detection.page_input import fit_page, to_page_input
from ocr.reading.onnx_session import open_session
from tasks.workspace import Workspace, open_workspace
from training.detection.net import DetectorNetSpec
from training.detection.samples import LabelledPage
from training.detection.shapes import MapTarget
from training.detection.tuning import tune_rule
from training.detection.validation import PageMap, measure_rule

REPEATED, LINEAR = "pixels repeated", "linear between them"
HALF = DetectorNetSpec.target
WHOLE = MapTarget(map_px=1, shrink_ratio=HALF.shrink_ratio)
COLUMNS = ("the map", "validation", "test", "precision", "recall", "change, 95 %")

Draw = Callable[[Image], NDArray[np.float32]]


def main() -> None:
    """Print both for every detector that is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("models", nargs="+", help="NAME, NAME@alias or NAME:version")
    workspace = open_workspace()
    named = [workspace.registry.resolve(name) for name in parser.parse_args().models]
    for model in [detector_of(workspace, each) for each in named]:
        bundle = workspace.fetch_bundle(model)
        draw = open_half((bundle / ONNX_MODEL).read_bytes(), read_detector_bundle(bundle).input)
        pages = workspace.open_pages(find_dataset(workspace, model))
        Console(width=120).print(measure(draw, pages, title=model.reference))


def detector_of(workspace: Workspace, model: ModelVersion) -> ModelVersion:
    """Return the detector of a pipeline; a detector as it is."""
    if model.task == "detection":
        return model
    return workspace.registry.resolve(read_pipeline(workspace.fetch_bundle(model)).detector)


def open_half(model: bytes, spec: PageSpec) -> Draw:
    """Return what draws the map of an image before it is doubled, by the ONNX form of a net.

    Raises:
        SystemExit: It does not double its map: it is no compact detector of today.
    """
    graph = onnx.load_model_from_string(model)
    nodes = graph.graph.node
    types = [node.op_type for node in nodes]
    sigmoids = [at for at, each in enumerate(types) if each == "Sigmoid"]
    if not sigmoids or "ConvTranspose" not in types[sigmoids[-1] :]:
        raise SystemExit("Its map is not doubled linearly: name a compact detector of this release")
    graph.graph.output[0].CopyFrom(onnx.ValueInfoProto(name=nodes[sigmoids[-1]].output[0]))
    session = open_session(graph.SerializeToString(), name="the detector", threads=1)

    def draw(image: Image) -> NDArray[np.float32]:
        found = session.run(None, {"x": to_page_input(fit_page(image, spec), spec)})
        return np.asarray(found[0][0, 0], dtype=np.float32)

    return draw


def measure(draw: Draw, snapshot: PageSnapshot, *, title: str) -> Table:
    """Tune both ways' rules on the val split, and return a table of what they find in the test."""
    table = Table(*COLUMNS, title=f"bench.reading.doubling: {title}")
    validated, tested = (_draw_split(draw, snapshot, split) for split in ("val", "test"))
    groups = [page.group for page in snapshot.samples("test")]
    draws = Resampling(group_codes(groups), resamples=2000, seed=0)
    before: Ratio | None = None
    for way, maps in validated.items():
        rule = tune_rule(maps, beat=lambda: None)
        found = [match_page(one.page.regions, one.find(rule).boxes) for one in tested[way]]
        report, hmean = summarise_matches(found), sum_hmean(found)
        validated_hmean = measure_rule(maps, rule).hmean
        row = (validated_hmean, report.hmean, report.precision, report.recall)
        change = ""
        if before is not None:
            gain = estimate_change(hmean, before, draws, confidence=0.95)
            change = f"{gain.value:+.4f} ({gain.lower:+.4f} to {gain.upper:+.4f})"
        before = hmean
        table.add_row(way, *(f"{value:.4f}" for value in row), change)
    return table


def _draw_split(draw: Draw, snapshot: PageSnapshot, split: Split) -> Mapping[str, list[PageMap]]:
    maps: dict[str, list[PageMap]] = {REPEATED: [], LINEAR: []}
    for sample, image in snapshot.images(split):
        page = LabelledPage(sample.regions, width_px=image.shape[1], height_px=image.shape[0])
        half = draw(image)
        maps[REPEATED].append(PageMap(page, half.repeat(2, axis=0).repeat(2, axis=1), WHOLE))
        maps[LINEAR].append(PageMap(page, half, HALF))
    return maps


if __name__ == "__main__":
    main()
