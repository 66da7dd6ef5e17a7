"""A store with a snapshot of twenty documents, scans/0.png and so on."""

from pathlib import Path

import pytest

from cli.main import run
from tests.ocr.image.pictures import write_labels

PROJECT = """\
extends: _fixed
name: toy
dataset:
  name: toy
  root: {root}
  train_labels: rec.txt
"""


def prepare_toy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prepare them, in the home and the store of a folder."""
    monkeypatch.setenv("OCRLINE_HOME", str(folder / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(folder / "store"))
    write_labels(folder, "rec.txt", {f"scans/{number}.png": f"A{number}" for number in range(20)})
    project = folder / "toy.yaml"
    project.write_text(PROJECT.format(root=folder))
    assert run(["prepare", str(project)]) == 0
