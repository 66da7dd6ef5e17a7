"""A small project without training: toy bundles that read A, B and C, and images of such texts."""

import re
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

from configs.evaluation import LineEvaluationParams
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.split import SplitRule
from ocr.image.pixels import encode_png
from ocr.models.registry import Registry
from tasks.evaluate import evaluate_lines
from tasks.references import EvaluationRef, ModelRef
from tasks.workspace import open_workspace
from tests.ocr.dataset.rules import LINE_LIMITS
from tests.toy_bundle import draw, write_toy_bundle

NAME = "toy"


@dataclass(frozen=True)
class ToyProject:
    """A store with a dataset in it, and where to make versions for it."""

    registry: Registry
    dataset: SnapshotRef
    folder: Path

    def add(self, version: str) -> ModelRef:
        """Register a version."""
        bundle = write_toy_bundle(self.folder / version, name=NAME, version=version)
        self.registry.register(NAME, version, bundle)
        return ModelRef(name=NAME, version=version, checkpoints=(f"checkpoints/{version}",))

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
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ToyProject:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    registry = open_workspace().registry
    snapshot = prepare_lines(
        registry.store,
        name=NAME,
        labels=_write_labels(tmp_path / "images"),
        limits=LINE_LIMITS,
        split=SplitRule(val_share=0.1, test_share=0.4, seed=0),
        near_duplicate_bits=0,
    )
    return ToyProject(registry=registry, dataset=snapshot, folder=tmp_path / "bundles")


def _write_labels(root: Path) -> LineLabelFiles:
    root.mkdir()
    every = ["".join(text) for text in product("ABC", repeat=4)]
    texts = [text for text in every if not re.search(r"(.)\1", text)]  # the toys read AA as A
    for text in texts:
        (root / f"{text}.png").write_bytes(encode_png(draw(text)))
    labels = "".join(f"{text}.png\t{text}\n" for text in texts)
    (root / "labels.txt").write_text(labels, encoding="utf-8")
    return LineLabelFiles(kind="paddleocr", root=root, train="labels.txt")
