"""A complete pipeline without its models: two golden pages and what they are said to read."""

from pathlib import Path

import numpy as np

from ocr.image.pixels import Image
from ocr.models.page_line import PageLine
from ocr.models.pipeline import PipelineManifest, write_pipeline
from tests.manifest_facts import manifest_facts

LINES = (
    PageLine(polygon=((2, 3), (40, 3), (40, 12), (2, 12)), text="TOTAL 12.50", confidence=0.97),
    PageLine(polygon=((2, 20), (30, 20), (30, 29), (2, 29)), text="謝謝", confidence=0.5),
)


def write_toy_pipeline(
    folder: Path,
    *,
    name: str = "toy",
    version: str = "p1",
    detector: str = "toy-detector:d1",
    recogniser: str = "toy-recogniser:r1",
    second_recogniser: str | None = None,
    reread_below: float | None = None,
    lines: tuple[PageLine, ...] = LINES,
) -> Path:
    """Write a pipeline that `read_pipeline` accepts."""
    manifest = PipelineManifest(
        **manifest_facts(name=name, version=version, parity={}),
        metrics={"hmean": 0.9, "accuracy": 0.8},
        detector=detector,
        recogniser=recogniser,
        second_recogniser=second_recogniser,
        reread_below=reread_below,
    )
    write_pipeline(folder, manifest, pages=[(_page(200), lines), (_page(90), ())])
    return folder


def _page(grey: int) -> Image:
    return np.full((48, 64, 3), grey, dtype=np.uint8)
