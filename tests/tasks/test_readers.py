"""What is known of a version besides its bundle, and how baselines answer."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from ocr.dataset.labels.text_rule import AS_WRITTEN, USUAL
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.image.pixels import Image
from ocr.models.page_line import PageLine
from ocr.reading.page_reader import PageReading
from ocr.reading.recognition.ctc import Recognition
from tasks.readers import (
    LINE_BASELINES,
    load_line_contender,
    load_page_contender,
    read_text_rule,
)
from tasks.workspace import open_workspace
from tests.tasks.conftest import NAME, ToyProject


def test_text_rule_of_a_version_is_that_of_the_snapshot_it_learnt_from(
    project: ToyProject,
) -> None:
    project.add("v1")
    workspace = open_workspace()
    digest = workspace.registry.version(NAME, "v1").manifest["dataset_digest"]
    manifest = SnapshotManifest.create(
        name="other", counts={}, quarantine=(), charset_size=1, files={}, task="recognition"
    )
    written = replace(manifest, digest=digest, texts=AS_WRITTEN)

    before = read_text_rule(workspace, f"{NAME}:v1")
    workspace.store.put_bytes(f"datasets/other/{digest}/manifest.json", written.to_bytes())

    assert before == USUAL
    assert read_text_rule(workspace, f"{NAME}:v1") == AS_WRITTEN


class Shouts:
    """Stands in for a model off the shelf."""

    name = "shouts"

    def __init__(self, *, threads: int = 1) -> None:
        self.threads = threads

    def read(self, image: Image) -> PageReading:
        line = PageLine(((0, 0), (9, 0), (9, 9), (0, 9)), f"A  {self.threads}", 0.9)
        return PageReading((line,), 0, {})

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        return [Recognition("A" * len(images) + "Q", 0.9, ())]


BLANK = np.zeros((9, 9, 3), np.uint8)


def test_a_baseline_of_pages_has_all_threads_and_writes_as_the_labels_do(
    pages: SnapshotRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.readers.RapidOcrPages", Shouts)
    workspace = open_workspace()

    reader = load_page_contender(workspace, "rapidocr", workspace.open_pages(pages.key), threads=3)

    assert [line.text for line in reader.read(BLANK).lines] == ["A 3"]


def test_a_baseline_of_lines_answers_in_their_characters(
    project: ToyProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LINE_BASELINES, "rapidocr", Shouts)
    workspace = open_workspace()

    reader = load_line_contender(workspace, "rapidocr", workspace.open_lines(project.dataset.key))

    assert [text.text for text in reader.recognise([BLANK])] == ["A"]
