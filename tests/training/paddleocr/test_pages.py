"""PP-OCR mobile for real: both nets of one project of pages, trained, bundled and served."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest

from ocr.image.pixels import Image
from ocr.models.bundle import SERVING_FOLDER, read_detector_bundle, read_recogniser_bundle
from ocr.models.golden import compare_lines, decode_golden, read_golden_pages
from ocr.models.page_line import PageLine
from ocr.models.registry import ModelVersion, Registry
from ocr.reading.detection.boxes import Detections, find_boxes
from ocr.reading.page_reader import PageReader
from ocr.reading.recognition.ctc import Recognition
from ocr.store import open_store
from tests.end_to_end.conftest import Finished, Machine, new_machine
from tests.paddleocr_tree import find_runtime
from training.loop.progress import read_events
from training.paddleocr.detection.export import load_exported_detector
from training.paddleocr.recognition.export import load_exported_recogniser

PROJECT = """
extends: _base
task: pages
name: few
dataset:
  name: few
  root: ROOT
  train_labels: train.txt
  val_labels: val.txt
  test_labels: test.txt
detector:
  engine: paddleocr
  net: pp-ocrv3-mobile  # less than half of what PP-OCRv5's takes to learn
  epochs: 15
  batch_size: 2
  learning_rate: 3.0e-3
  evaluations: 1
  overrides:
    Optimizer: {lr: {warmup_epoch: 0}}
    Train: {dataset: {transforms: {2: {IaaAugment: {augmenter_args: {
      0: {args: {p: 0.0}}, 1: {args: {rotate: [0, 0]}}, 2: {args: {size: [1.0, 1.0]}}}}}}}}
  long_side_px: 160
  crop_height_px: 128
  crop_width_px: 160
recogniser:
  engine: paddleocr
  net: configs/rec/rec_mv3_none_none_ctc.yml  # what PP-OCRv5's learns is served in test_pp_ocr.py
  epochs: 1
  batch_size: 4
  width_px: 160
  learning_rate: 1.0e-5  # so few steps of a higher one teach it to read nothing
  max_text_length: 12
  evaluations: 1
  text_model: false
evaluation: {baseline: number, baseline_hmean: 0.5}
"""
FORMS = {"paddle", "paddle-onednn", "onnx", "serving"}

WORDS = ("TOTAL", "12.50", "CASH", "ROUND")
LONGEST_S = 1800

# Each net alone is in recognition/test_pp_ocr.py and detection/test_training.py.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(2 * LONGEST_S)]


@dataclass(frozen=True)
class ExportedDetector:
    """Finds with the form that PaddleOCR's exporter wrote."""

    checkpoint: Path
    name: str = "exported"

    def detect(self, image: Image) -> Detections:
        export = load_exported_detector(self.checkpoint)
        height_px, width_px = image.shape[:2]
        (found,) = export.reader.infer(export.net.answer, [image])
        return find_boxes(found, export.reader.rule, width_px=width_px, height_px=height_px)


@dataclass(frozen=True)
class ExportedRecogniser:
    """Reads with the form that PaddleOCR's exporter wrote."""

    checkpoint: Path
    name: str = "exported"

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        export = load_exported_recogniser(self.checkpoint)
        frames = export.reader.infer(export.net.answer, images)
        return list(export.reader.decode(frames).outputs)


def write_pages(folder: Path, *, counts: dict[str, int]) -> None:
    """Draw pages of two large words, that a detector learns to find in some hundred steps."""
    rng = np.random.default_rng(0)
    folder.mkdir()
    for split, count in counts.items():
        rows = []
        for number in range(count):
            page, labels = np.full((128, 160, 3), 245, np.uint8), []
            for top in (14, 74):
                word = str(rng.choice(WORDS))
                left, upper = int(rng.integers(8, 16)), top + int(rng.integers(0, 8))
                (width, height), _ = cv2.getTextSize(word, cv2.FONT_HERSHEY_SIMPLEX, 1.2, 3)
                right, lower = left + width, upper + height
                cv2.putText(
                    page, word, (left, lower), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (20, 20, 20), 3
                )
                corners = [[left, upper], [right, upper], [right, lower], [left, lower]]
                labels.append({"transcription": word, "points": corners})
            cv2.imwrite(str(folder / f"{split}{number}.png"), page)
            rows.append(f"{split}{number}.png\t{json.dumps(labels)}\n")
        (folder / f"{split}.txt").write_text("".join(rows), encoding="utf-8")


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    runtime = find_runtime()
    folder = tmp_path_factory.mktemp("pp-ocrv5")
    write_pages(folder / "pages", counts={"train": 16, "val": 2, "test": 1})
    project = folder / "few.yaml"
    project.write_text(PROJECT.replace("ROOT", str(folder / "pages")), encoding="utf-8")
    with new_machine(
        folder / "home",
        preset=str(project),
        timeout_s=LONGEST_S,
        PADDLEOCR_HOME=runtime.home,
        OCRLINE_PADDLEOCR_PYTHON=runtime.python,
    ) as machine:
        yield machine


@pytest.fixture(scope="module")
def first(machine: Machine) -> Finished:
    """A run that the gate refuses, as it reads nothing right, and a person who promotes it."""
    finished = machine.retrain()
    assert finished.code == 1, finished.err
    by_hand = machine.run("models", "promote", "few", finished.version)
    assert by_hand.code == 0, by_hand.err
    while served(machine) != [finished.version]:
        time.sleep(0.1)
    return finished


def served(machine: Machine) -> list[str]:
    models = httpx.get(f"{machine.endpoint}/v1/models", timeout=60).json()["models"]
    return [model["version"] for model in models]


@pytest.fixture(scope="module")
def parts(machine: Machine, first: Finished) -> dict[str, ModelVersion]:
    """The versions that it made: of the pipeline, and of both nets."""
    registry = Registry(open_store(str(machine.home / "store")))
    pipeline = registry.version("few", first.version)
    detector, recogniser = (registry.resolve(part) for part in pipeline.parts.values())
    return {"pipeline": pipeline, "detector": detector, "recogniser": recogniser}


def checkpoint_of(machine: Machine, version: ModelVersion) -> Path:
    return machine.home / "store" / str(version.manifest["checkpoint"])


@pytest.mark.parametrize("net", ["detector", "recogniser"])
def test_each_net_learns_every_step_and_has_every_form(
    machine: Machine, parts: dict[str, ModelVersion], net: str
) -> None:
    events = list(read_events(checkpoint_of(machine, parts[net]) / "metrics.jsonl"))
    bundle = machine.home / "store" / parts[net].key
    read = read_detector_bundle if net == "detector" else read_recogniser_bundle

    steps = [event for event in events if event["event"] == "step"]
    assert steps[-1]["step"] == steps[-1]["steps"] >= 3
    assert read(bundle).parity.keys() == FORMS
    assert (bundle / SERVING_FOLDER / "inference.pdmodel").is_file()


def test_a_page_is_read_over_rest_as_the_nets_that_paddleocr_exported_read_it(
    machine: Machine, parts: dict[str, ModelVersion]
) -> None:
    pipeline = machine.home / "store" / parts["pipeline"].key
    golden = read_golden_pages(pipeline)[0].image.read_bytes()
    reader = PageReader(
        ExportedDetector(checkpoint_of(machine, parts["detector"])),
        ExportedRecogniser(checkpoint_of(machine, parts["recogniser"])),
    )
    expected = reader.read(decode_golden(golden)).lines

    answer = httpx.post(
        f"{machine.endpoint}/v1/ocr",
        params={"model": "few"},
        content=golden,
        headers={"content-type": "image/png"},
        timeout=60,
    ).raise_for_status()
    lines = [
        PageLine(
            polygon=tuple((x, y) for x, y in line["polygon"]),
            text=line["text"],
            confidence=line["confidence"],
        )
        for line in answer.json()["pages"][0]["lines"]
    ]
    assert expected, "it finds no line, which proves nothing"
    assert compare_lines(lines, expected) == ""
    assert [line.confidence for line in lines] == pytest.approx(
        [line.confidence for line in expected], abs=1e-3
    )
