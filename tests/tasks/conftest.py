"""Small projects without training: lines of A, B and C with toy bundles; pages of grey bars."""

import re
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from configs.dataset import PageDatasetParams, PageLimitParams
from configs.evaluation import LineEvaluationParams
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.split import SplitRule
from ocr.image.pixels import encode_png
from ocr.models.registry import Registry
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tasks.evaluate import evaluate_lines
from tasks.prepare_pages import prepare_pages
from tasks.readers import load_recogniser
from tasks.references import EvaluationRef, ModelRef
from tasks.workspace import Workspace, open_workspace
from tests.ocr.dataset.rules import LINE_LIMITS
from tests.serving.tiny_bundle import DIGITS, LETTERS
from tests.serving.tiny_pipeline import label_page, page_png
from tests.tasks.bars import register_parts
from tests.toy_bundle import draw, write_toy_bundle

NAME = "toy"


@dataclass(frozen=True)
class ToyProject:
    """A store with a dataset in it, and where to make versions for it."""

    registry: Registry
    dataset: SnapshotRef
    folder: Path

    def add(self, version: str, *, checkpoint: str = "") -> ModelRef:
        """Register a version, of a checkpoint of its own."""
        key = checkpoint or f"checkpoints/{version}"
        bundle = write_toy_bundle(self.folder / version, name=NAME, version=version, checkpoint=key)
        self.registry.register(NAME, version, bundle)
        return ModelRef(name=NAME, version=version, checkpoints=(key,))

    def promote(self, version: str) -> None:
        """Make a version the champion."""
        self.registry.promote(NAME, version, reason="by hand")

    def rollback(self) -> None:
        """Take the champion back."""
        self.registry.rollback(NAME, reason="reads 8 as B")

    def evaluate(
        self, model: ModelRef, params: LineEvaluationParams | None = None
    ) -> EvaluationRef:
        """Measure a version as the task does."""
        return evaluate_lines.fn(model, self.dataset, params or LineEvaluationParams(resamples=200))


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """The registry of an empty store."""
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    return open_workspace().registry


@pytest.fixture
def project(tmp_path: Path, empty: Registry) -> ToyProject:
    snapshot = prepare_lines(
        empty.store,
        name=NAME,
        labels=_write_labels(tmp_path / "images"),
        limits=LINE_LIMITS,
        split=SplitRule(val_share=0.1, test_share=0.4, seed=0),
        near_duplicate_bits=0,
    )
    return ToyProject(registry=empty, dataset=snapshot, folder=tmp_path / "bundles")


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which versions were loaded to read."""
    names: list[str] = []

    def load(workspace: Workspace, reference: str, **more: Any) -> OnnxRecogniser:
        names.append(reference)
        return load_recogniser(workspace, reference, **more)

    monkeypatch.setattr("tasks.readers.load_recogniser", load)
    return names


def _write_labels(root: Path) -> LineLabelFiles:
    root.mkdir()
    every = ["".join(text) for text in product("ABC", repeat=4)]
    texts = [text for text in every if not re.search(r"(.)\1", text)]  # the toys read AA as A
    for text in texts:
        (root / f"{text}.png").write_bytes(encode_png(draw(text)))
    labels = "".join(f"{text}.png\t{text}\n" for text in texts)
    (root / "labels.txt").write_text(labels, encoding="utf-8")
    return LineLabelFiles(kind="paddleocr", root=root, train="labels.txt")


TEXTS: dict[str, list[tuple[str, ...]]] = {
    "train": [("2026", "31415"), ("42", "9", "777")],
    "val": [("1234", "56")],
    "test": [("808", "17", "29"), ("65", "33")],
}


@pytest.fixture
def registry(tmp_path: Path, empty: Registry) -> Registry:
    register_parts(empty, tmp_path, r1=DIGITS, r2=LETTERS)
    return empty


@pytest.fixture
def dataset(tmp_path: Path) -> PageDatasetParams:
    """Labelled pages of grey bars."""
    root = tmp_path / "data"
    root.mkdir()
    for split, every in TEXTS.items():
        rows = []
        for number, texts in enumerate(every):
            name = f"{split}{number}.png"
            (root / name).write_bytes(page_png(*texts))
            rows.append(f"{name}\t{label_page(texts)}\n")
        (root / f"det_{split}.txt").write_text("".join(rows))
    return PageDatasetParams(
        name="bars",
        root=str(root),
        val_labels="det_val.txt",
        test_labels="det_test.txt",
        limits=PageLimitParams(max_bad_share=0.5),
    )


@pytest.fixture
def pages(registry: Registry, dataset: PageDatasetParams) -> SnapshotRef:
    return prepare_pages.fn(dataset)
