"""Whether the recogniser of an opponent's pipeline learnt lines of the test's pages."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from configs.dataset import PageDatasetParams, PageLimitParams
from ocr.dataset.preparation import SnapshotRef
from tasks.judging.overlap import find_overlap
from tasks.prepare_pages import crop_pages, prepare_pages
from tasks.workspace import open_workspace
from tests.serving.tiny_pipeline import page_png

TEXTS = ["2026", "42", "777", "808", "65", "123"]
OF_THE_NAME = r"(.+)-1\.png"


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pages of one line each."""
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    root = tmp_path / "data"
    root.mkdir()
    for number, text in enumerate(TEXTS):
        (root / f"invoice{number}-1.png").write_bytes(page_png(text))
    return root


def describe_pages(
    root: Path, name: str, group_pattern: str, **splits: Sequence[int]
) -> PageDatasetParams:
    for split, numbers in splits.items():
        rows = [f"invoice{number}-1.png\t{_label(TEXTS[number])}\n" for number in numbers]
        (root / f"{name}_{split}.txt").write_text("".join(rows))
    labels = {f"{split}_labels": f"{name}_{split}.txt" for split in splits}
    limits = PageLimitParams(max_bad_share=0.5)
    return PageDatasetParams(
        name=name, root=str(root), group_pattern=group_pattern, limits=limits, **labels
    )


def _label(text: str) -> str:
    right, bottom = 32 + 32 * len(text), 56  # as tests.serving.tiny_pipeline draws it
    points = [[32, 24], [right, 24], [right, bottom], [32, bottom]]
    return json.dumps([{"transcription": text, "points": points}])


def register(folder: Path, name: str, **manifest: str) -> str:
    """Register what has no more than a manifest."""
    folder = folder / name
    folder.mkdir()
    content = {"name": name, "version": "v1", **manifest}
    (folder / "manifest.json").write_text(json.dumps(content))
    open_workspace().registry.register(name, "v1", folder)
    return f"{name}:v1"


def register_pipeline(folder: Path, *, pages: SnapshotRef, lines: SnapshotRef) -> str:
    return register(
        folder,
        "invoices",
        task="pipeline",
        detector=register(folder, "d", task="detection", dataset_digest=pages.digest),
        recogniser=register(folder, "r", task="recognition", dataset_digest=lines.digest),
    )


@pytest.mark.parametrize("group_pattern", ["", OF_THE_NAME], ids=["alone", "of documents"])
def test_pages_of_the_test_whose_lines_were_learnt_are_named(
    root: Path, tmp_path: Path, group_pattern: str
) -> None:
    before = describe_pages(root, "before", group_pattern, train=[0, 1, 2, 3], val=[4], test=[5])
    now = describe_pages(root, "now", group_pattern, train=[4, 5], val=[2], test=[0, 1, 3])
    lines = crop_pages.fn(prepare_pages.fn(before), before, "r")
    pages = prepare_pages.fn(now)
    opponent = register_pipeline(tmp_path, pages=pages, lines=lines)
    workspace = open_workspace()

    overlap = find_overlap(workspace, opponent, workspace.open_pages(pages.key).samples("test"))

    assert overlap is not None
    assert overlap.samples == ("invoice0-1.png", "invoice1-1.png", "invoice3-1.png")
