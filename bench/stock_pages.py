"""Pages read by stock paddleocr with both models of a pipeline, beside ocrline.

``python -m bench.stock_pages --model receipts --labels det_test.txt [--pages N]`` prints how many
lines each reads, how many of them agree, and the seconds per page of both. Both read what the net
alone does, as stock knows no text model.
"""

import argparse
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from configs.dataset import MAX_PIXELS
from ocr.dataset.pages.labelled_pages import read_labelled_pages
from ocr.image.pixels import Image
from ocr.models.bundle import (
    DetectorManifest,
    RecogniserManifest,
    read_detector_bundle,
    read_recogniser_bundle,
)
from ocr.models.pipeline import read_pipeline
from tasks.readers import load_pipeline
from tasks.workspace import Workspace, open_workspace

DETECTOR_NAME = "PP-OCRv5_mobile_det"  # registered names; the files decide what is found and read
RECOGNISER_NAME = "PP-OCRv5_mobile_rec"

LEAST_AGREEMENT = 0.99
"""Least share of the lines of both that agree: a pixel may fall on either side of a threshold."""

Read = Callable[[Image], list[str]]


@dataclass(frozen=True)
class PageComparison:
    """What both read on one page, in any order: stock sorts lines by rows alone."""

    ours: Counter[str]
    theirs: Counter[str]
    our_s: float
    their_s: float

    @property
    def agreeing(self) -> int:
        """How many lines both read alike."""
        return (self.ours & self.theirs).total()


def main() -> None:
    """Read the pages of a label file with both; exit 1 when fewer than 99 % of lines agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="receipts", help="NAME, NAME@alias or NAME:version")
    parser.add_argument("--labels", type=Path, required=True, help="PaddleOCR detection labels")
    parser.add_argument("--pages", type=int, default=0, help="Read the first N only; 0: all")
    arguments = parser.parse_args()
    workspace = open_workspace()
    reader = load_pipeline(workspace, arguments.model, plain=True)
    stock = _load_stock(workspace, arguments.model)
    labelled, _ = read_labelled_pages(arguments.labels, max_pixels=MAX_PIXELS)

    pages = list(
        compare(
            lambda image: [line.text for line in reader.read(image, rotation=0).lines],
            stock,
            (page.image() for page in labelled[: arguments.pages or None]),
        )
    )

    _print(pages)
    raise SystemExit(agreement(pages) < LEAST_AGREEMENT)


def compare(ours: Read, theirs: Read, images: Iterable[Image]) -> Iterator[PageComparison]:
    """Read every page with both, the first one twice: once to warm up."""
    for index, image in enumerate(images):
        if index == 0:
            ours(image)
            theirs(image)
        our_texts, our_s = _time(ours, image)
        their_texts, their_s = _time(theirs, image)
        yield PageComparison(Counter(our_texts), Counter(their_texts), our_s, their_s)


def agreement(pages: Sequence[PageComparison]) -> float:
    """Return the share of all lines that both read alike; 1 where there are none."""
    lines = sum((page.ours | page.theirs).total() for page in pages)
    return sum(page.agreeing for page in pages) / lines if lines else 1.0


def stock_arguments(detector: DetectorManifest, recogniser: RecogniserManifest) -> dict[str, Any]:
    """Return what stock does not take from the models' folders: it has defaults of its own."""
    line = recogniser.input
    fixed = {"text_rec_input_shape": (3, line.height_px, line.width_px)}
    return {
        "text_detection_model_name": DETECTOR_NAME,
        "text_recognition_model_name": RECOGNISER_NAME,
        "text_det_limit_type": "max",
        "text_det_limit_side_len": detector.input.long_side_px,
        "text_det_thresh": detector.boxes.threshold,
        "text_det_box_thresh": detector.boxes.box_threshold,
        "text_det_unclip_ratio": detector.boxes.crop_unclip_ratio,
        **(fixed if line.layout == "fixed" else {}),
    }


def _load_stock(workspace: Workspace, reference: str) -> Read:
    os.environ["PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK"] = "True"  # it would ask the network
    from paddleocr import PaddleOCR

    registry = workspace.registry
    pipeline = read_pipeline(workspace.fetch_bundle(registry.resolve(reference)))
    detector = workspace.fetch_bundle(registry.resolve(pipeline.detector))
    recogniser = workspace.fetch_bundle(registry.resolve(pipeline.recogniser))
    model = PaddleOCR(
        text_detection_model_dir=str(detector / "paddle"),
        text_recognition_model_dir=str(recogniser / "paddle"),
        use_doc_orientation_classify=False,
        use_doc_unwarping=False,
        use_textline_orientation=False,
        **stock_arguments(read_detector_bundle(detector), read_recogniser_bundle(recogniser)),
    )

    def read(image: Image) -> list[str]:
        (result,) = model.predict(image)
        return [text for text in result["rec_texts"] if text.strip()]

    return read


def _time(read: Read, image: Image) -> tuple[list[str], float]:
    started = time.perf_counter()
    texts = read(image)
    return texts, time.perf_counter() - started


def _print(pages: Sequence[PageComparison]) -> None:
    our_s = sum(page.our_s for page in pages) / len(pages)
    their_s = sum(page.their_s for page in pages) / len(pages)
    table = Table("reader", "lines", "s per page", "of ours")
    for name, lines, seconds in (
        ("ocrline", sum(page.ours.total() for page in pages), our_s),
        ("stock paddleocr", sum(page.theirs.total() for page in pages), their_s),
    ):
        table.add_row(name, f"{lines}", f"{seconds:.3f}", f"{seconds / our_s:.1f}x")
    Console().print(table)
    for index, page in enumerate(pages):
        if page.ours != page.theirs:
            only_ours, only_theirs = page.ours - page.theirs, page.theirs - page.ours
            print(f"page {index}: only ocrline {[*only_ours]}, only stock {[*only_theirs]}")
    agreeing = sum(page.agreeing for page in pages)
    print(f"{agreeing} lines agree on {len(pages)} pages: {agreement(pages):.2%}")


if __name__ == "__main__":
    main()
