"""A real pipeline of a few kilobytes that reads lines of grey bars on pages of light blue.

The detector takes what is grey for text; the recogniser is that of `tiny_bundle`.
"""

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ocr.image.pixels import Image, encode_png
from ocr.models.bundle import FORM_FILES, DetectorManifest, write_manifest
from ocr.models.detector_spec import BoxRule, PageSpec
from ocr.models.gap_model import GapModel
from ocr.models.page_line import PageLine
from ocr.models.pipeline import PipelineManifest, write_pipeline
from ocr.models.registry import Registry
from ocr.reading.detection.detector import OnnxDetector
from ocr.reading.page_reader import PageReader
from ocr.reading.recognition.cascade import CascadeRecogniser
from ocr.reading.recognition.recogniser import OnnxRecogniser, Recogniser
from tests.manifest_facts import manifest_facts
from tests.ocr.image.documents import tiff
from tests.serving.tiny_bundle import BLANK_GREY, GREYS, make_bundle

NAME = "pages"
PAPER_BGR = (255, 235, 200)
BAR_PX = 16  # four columns of the recogniser's input, at four times its height
HEIGHT_PX = 33  # a box of N x M pixels is N - 1 x M - 1 from corner to corner
LEFT_PX, TOP_PX, STEP_PX = 32, 24, 64
PAGE_WIDTH_PX = 640
GOLDEN = (["2026", "31415"], ["9"])
RULE = BoxRule(threshold=0.5, box_threshold=0.5, unclip_ratio=0.001, crop_unclip_ratio=0.001)


def draw_page(texts: Sequence[str], *, unsure: Sequence[int] = ()) -> Image:
    """Draw lines of digits below each other; greys between two are read as either, unsurely."""
    page = np.full((max(2, len(texts)) * STEP_PX, PAGE_WIDTH_PX, 3), PAPER_BGR, np.uint8)
    for number, digits in enumerate(texts):
        bars = [_grey(int(digit), is_sure=number not in unsure) for digit in digits]
        columns = [grey for bar in bars for grey in (bar, BLANK_GREY)]
        row = np.append(np.repeat(np.array(columns, np.uint8), BAR_PX), np.uint8(BLANK_GREY))
        top_px = TOP_PX + number * STEP_PX
        page[top_px : top_px + HEIGHT_PX, LEFT_PX : LEFT_PX + row.size] = row[:, None]
    return page


@cache
def long_document(pages: int) -> bytes:
    """A TIFF of pages with six lines each."""
    return tiff([draw_page([str(number)] * 6) for number in range(pages)])


def _grey(digit: int, *, is_sure: bool) -> int:
    return GREYS[digit] if is_sure else (GREYS[digit] + GREYS[digit - 1]) // 2


def page_png(*texts: str) -> bytes:
    return encode_png(draw_page(texts))


def label_page(texts: Sequence[str]) -> str:
    """Label what `draw_page` draws, as PaddleOCR does."""
    regions = []
    for number, text in enumerate(texts):
        left, top = LEFT_PX, TOP_PX + STEP_PX * number
        right, bottom = left + 2 * BAR_PX * len(text), top + HEIGHT_PX - 1
        points = [[left, top], [right, top], [right, bottom], [left, bottom]]
        regions.append({"transcription": text, "points": points})
    return json.dumps(regions)


def register_pipeline(
    registry: Registry,
    folder: Path,
    *,
    version: str,
    characters: str,
    name: str = NAME,
    growth: float = RULE.unclip_ratio,
    moved_px: float = 0,
    second: str = "",
    gaps: GapModel | None = None,
    min_confidence: float = 0.0,
) -> str:
    """Make and register a detector, a recogniser and a pipeline of both; return its version.

    Boxes that have grown tell one detector from another, as characters do with recognisers.
    Golden lines that are `moved_px` away break a pipeline with all digests intact. A recogniser of
    `second` characters reads every line again. A model of gaps parts lines at them. Lines below a
    confidence are set aside.
    """
    folder = folder / name / version
    detector = make_detector(
        folder / "detector", name=f"{name}-detector", version=version, growth=growth
    )
    recogniser = make_bundle(
        folder / "recogniser", name=f"{name}-recogniser", version=version, characters=characters
    )
    if second:
        bundle = make_bundle(
            folder / "second", name=f"{name}-second", version=version, characters=second
        )
        registry.register(f"{name}-second", version, bundle)
    for part, bundle in (("detector", detector), ("recogniser", recogniser)):
        registry.register(f"{name}-{part}", version, bundle)
    reader = load_reader(folder, gaps=gaps)
    pipeline = _make_pipeline(
        folder / "pipeline",
        name=name,
        version=version,
        reader=reader,
        moved_px=moved_px,
        is_cascade=bool(second),
        gaps=gaps,
        min_confidence=min_confidence,
    )
    registry.register(name, version, pipeline)
    return version


def load_reader(folder: Path, *, gaps: GapModel | None = None) -> PageReader:
    """Load what `register_pipeline` made in FOLDER / name / version."""
    recogniser: Recogniser = OnnxRecogniser.load(folder / "recogniser")
    if (folder / "second").is_dir():
        second = OnnxRecogniser.load(folder / "second")
        recogniser = CascadeRecogniser(recogniser, second, below=1.0)
    return PageReader(OnnxDetector.load(folder / "detector"), recogniser, gaps=gaps)


def make_detector(
    folder: Path, *, name: str, version: str, growth: float = RULE.unclip_ratio, **facts: str
) -> Path:
    """Write a detector's bundle."""
    for relative in FORM_FILES:
        path = folder / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"stand-in")
    (folder / "onnx" / "model.onnx").write_bytes(_onnx_model().SerializeToString())
    manifest = DetectorManifest(
        **manifest_facts(name=name, version=version, **facts),
        metrics={"hmean": 1.0},
        input=PageSpec(long_side_px=960),
        boxes=replace(RULE, unclip_ratio=growth),
    )
    write_manifest(folder, manifest)
    return folder


def _make_pipeline(
    folder: Path,
    *,
    name: str,
    version: str,
    reader: PageReader,
    moved_px: float,
    is_cascade: bool,
    gaps: GapModel | None,
    min_confidence: float,
) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    manifest = PipelineManifest(
        **manifest_facts(name=name, version=version),
        metrics={"hmean": 1.0},
        detector=f"{name}-detector:{version}",
        recogniser=f"{name}-recogniser:{version}",
        second_recogniser=f"{name}-second:{version}" if is_cascade else None,
        reread_below=1.0 if is_cascade else None,
        min_confidence=min_confidence or None,
    )
    pages = [draw_page(texts) for texts in GOLDEN]
    lines = [_read(reader, page, moved_px=moved_px) for page in pages]
    write_pipeline(folder, manifest, pages=zip(pages, lines, strict=True), gaps=gaps)
    return folder


def _read(reader: PageReader, page: Image, *, moved_px: float) -> tuple[PageLine, ...]:
    return tuple(
        PageLine(
            polygon=tuple((x + moved_px, y) for x, y in line.polygon),
            text=line.text,
            confidence=line.confidence,
        )
        for line in reader.read(page).lines
    )


def _onnx_model() -> onnx.ModelProto:
    """1 where a pixel's blue is its red, 0 where they differ by a tenth of the range or more."""
    difference = np.array([1, 0, -1], dtype=np.float32).reshape(1, 3, 1, 1)
    constants = {
        "difference": difference,
        "slope": np.array(-10, dtype=np.float32),
        "one": np.array(1, dtype=np.float32),
    }
    nodes = [
        helper.make_node("Conv", ["x", "difference"], ["signed"]),
        helper.make_node("Abs", ["signed"], ["distance"]),
        helper.make_node("Mul", ["distance", "slope"], ["fall"]),
        helper.make_node("Add", ["fall", "one"], ["raw"]),
        helper.make_node("Relu", ["raw"], ["map"]),
    ]
    graph = helper.make_graph(
        nodes,
        "greyness",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, "H", "W"])],
        [helper.make_tensor_value_info("map", TensorProto.FLOAT, ["N", 1, "H", "W"])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
