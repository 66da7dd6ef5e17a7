"""Pages read by ocrline and by stock paddleocr: agreement is counted, and disagreement fails."""

import json
import os
import shutil
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from bench.stock_pages import Read, agreement, compare
from ocr.image.pixels import Image, encode_png
from ocr.models.bundle import (
    PADDLE_FOLDER,
    read_detector_manifest,
    read_recogniser_manifest,
    write_manifest,
)
from ocr.models.detector_spec import BoxRule
from ocr.models.registry import Registry
from ocr.store import open_store
from tests.toy_bundle import Lines, draw_page, write_toy_bundle, write_toy_detection_bundle
from tests.toy_pipeline import write_toy_pipeline
from training.environment import prepare_environment

PAGES: tuple[Lines, ...] = (
    {(20, 32): "ABC", (32, 96): "CABCACBA", (200, 96): "BAB", (40, 400): "ACACAB"},
    {(64, 128): "BCBCBCBCBCBCABC"},
    {},
)


def say(*texts: list[str]) -> Read:
    """Answer texts by the number that a page shows."""
    return lambda image: texts[int(image[0, 0, 0])]


def numbered(count: int) -> list[Image]:
    return [np.full((1, 1, 3), number, dtype=np.uint8) for number in range(count)]


def test_lines_agree_where_texts_are_the_same_in_any_order() -> None:
    ours = say(["A", "A", "B"], ["C"], [])
    theirs = say(["B", "A"], ["C", "D"], [])

    pages = list(compare(ours, theirs, numbered(3)))

    assert [page.agreeing for page in pages] == [2, 1, 0]
    assert agreement(pages) == 3 / 5


def test_pages_without_lines_agree() -> None:
    assert agreement(list(compare(say([], []), say([], []), numbered(2)))) == 1


@pytest.mark.skipif(find_spec("paddleocr") is None, reason="paddleocr is not installed")
def test_stock_paddleocr_reads_a_page_as_the_pipeline_does(tmp_path: Path) -> None:
    register_pipeline(tmp_path)
    rows = []
    for number, lines in enumerate(PAGES):
        page = draw_page(lines, width_px=400, height_px=480)
        (tmp_path / f"{number}.png").write_bytes(encode_png(page))
        regions = [
            {"transcription": text, "points": [[x, y], [x + 9, y], [x + 9, y + 9], [x, y + 9]]}
            for (x, y), text in lines.items()
        ]
        rows.append(f"{number}.png\t{json.dumps(regions)}\n")
    (tmp_path / "det.txt").write_text("".join(rows), encoding="utf-8")

    run = subprocess.run(
        [
            *(sys.executable, "-m", "bench.stock_pages"),
            *("--model", "toy:v1", "--labels", str(tmp_path / "det.txt")),
        ],
        capture_output=True,
        check=False,
        text=True,
        env={
            **os.environ,
            "OCRLINE_HOME": str(tmp_path / "home"),
            "OCRLINE_STORE": str(tmp_path / "store"),
            "PADDLE_PDX_CACHE_HOME": str(tmp_path / "paddlex"),
        },
    )

    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.strip().endswith("5 lines agree on 3 pages: 100.00%")


def register_pipeline(root: Path) -> None:
    """Register a detector, a recogniser and the pipeline of both, with real Paddle forms."""
    registry = Registry(open_store(str(root / "store")))
    detector = write_toy_detection_bundle(root / "detector", name="toy-detector", version="v1")
    recogniser = write_toy_bundle(
        root / "recogniser", name="toy-recogniser", version="v1", texts=["BC", "ABC"]
    )
    with warnings.catch_warnings():  # paddle's imports warn of its dependencies
        warnings.simplefilter("ignore")
        rule = export_detector(detector, root / "checkpoint")
        export_recogniser(recogniser)
    known = read_detector_manifest(detector)
    write_manifest(detector, known.model_copy(update={"boxes": rule}))
    write_manifest(recogniser, read_recogniser_manifest(recogniser))
    registry.register("toy-detector", "v1", detector)
    registry.register("toy-recogniser", "v1", recogniser)
    write_toy_pipeline(
        root / "pipeline", version="v1", detector="toy-detector:v1", recogniser="toy-recogniser:v1"
    )
    registry.register("toy", "v1", root / "pipeline")


def export_detector(bundle: Path, checkpoint: Path) -> BoxRule:
    prepare_environment()
    from tests.training.detection.toy_detector import RULE, save_toy_detector
    from training.detection.export import load_detector_export
    from training.forms.onnx import export_onnx
    from training.forms.paddle import export_paddle

    model = load_detector_export(save_toy_detector(checkpoint))
    folder = bundle / PADDLE_FOLDER
    shutil.rmtree(folder)
    shutil.rmtree(bundle / "onnx")
    export_paddle(model.net, config=model.config(), folder=folder)
    export_onnx(folder, bundle / "onnx/model.onnx", dimensions=model.dimensions)
    return RULE


def export_recogniser(bundle: Path) -> None:
    from tests.bench.colour_net import ColourNet
    from training.forms.paddle import export_paddle
    from training.forms.trained_net import TrainedNet
    from training.recognition.export import inference_config, input_shape

    manifest = read_recogniser_manifest(bundle)
    shutil.rmtree(bundle / PADDLE_FOLDER)
    export_paddle(
        TrainedNet(ColourNet(manifest.input.height_px), input_shape(manifest.input)),
        config=inference_config(manifest.input, "ABC"),
        folder=bundle / PADDLE_FOLDER,
    )
