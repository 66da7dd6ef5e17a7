"""What nets in 8 bits cost and save on the test split: ``python -m bench.int8 plates receipts``.

Each net of a model reads, or finds, everything in both forms, in turns and on one thread, so that
the same machine is under both. A net whose export left 8 bits out is named; its card has the price.
"""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.reading.readers import find_dataset
from ocr.evaluation.int8 import Int8Price
from ocr.evaluation.lines.int8 import weigh_int8_lines
from ocr.evaluation.pages.int8 import weigh_int8_pages
from ocr.models.bundle import CHARSET, INT8_MODEL, ONNX_MODEL, read_recogniser_manifest
from ocr.models.charset import Charset
from ocr.models.registry import ModelVersion
from ocr.reading.detection.detector import OnnxDetector
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tasks.workspace import Workspace, open_workspace

COLUMNS = ("net", "metric", "float32", "change", "bounds", "lines alike", "size", "time")


def main() -> None:
    """Measure every net of the models that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", help="NAME, NAME@alias or NAME:version")
    workspace, table = open_workspace(), Table(*COLUMNS, title="bench.int8: the test split")
    for name in parser.parse_args().models:
        model = workspace.registry.resolve(name)
        for part in model.parts.values() or (model.reference,):
            table.add_row(*_measure(workspace, workspace.registry.resolve(part)))
    Console().print(table)


def _measure(workspace: Workspace, net: ModelVersion) -> tuple[str, ...]:
    bundle = workspace.fetch_bundle(net)
    if not (bundle / INT8_MODEL).exists():
        return net.reference, "", "", "in float32 alone"
    price = WEIGH[net.task](workspace, bundle, find_dataset(workspace, net))
    if price is None:
        return net.reference, "", "", "the test has no text"
    change = price.change
    size = (bundle / INT8_MODEL).stat().st_size / (bundle / ONNX_MODEL).stat().st_size
    return (
        net.reference,
        price.metric,
        f"{change.opponent:.4f}",
        f"{change.change:+.4f}",
        f"{change.lower:+.4f} to {change.upper:+.4f}",
        f"{price.alike:.1%}",
        f"{size:.2f}x",
        f"{price.time:.2f}x",
    )


def _weigh_lines(workspace: Workspace, bundle: Path, dataset: str) -> Int8Price | None:
    manifest, charset = read_recogniser_manifest(bundle), Charset.read(bundle / CHARSET)
    float32, int8 = (  # without the text model, which reads right what either reads wrong
        OnnxRecogniser(
            (bundle / form).read_bytes(), charset=charset, spec=manifest.input, name=form
        )
        for form in (ONNX_MODEL, INT8_MODEL)
    )
    return weigh_int8_lines(float32, int8, workspace.open_lines(dataset), split="test")


def _weigh_pages(workspace: Workspace, bundle: Path, dataset: str) -> Int8Price | None:
    float32, int8 = (OnnxDetector.load(bundle, plain=plain) for plain in (True, False))
    return weigh_int8_pages(float32, int8, workspace.open_pages(dataset), split="test")


WEIGH: Mapping[str, Callable[[Workspace, Path, str], Int8Price | None]] = {
    "recognition": _weigh_lines,
    "detection": _weigh_pages,
}


if __name__ == "__main__":
    main()
