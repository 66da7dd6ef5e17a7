"""A gap model of a pipeline: learnt where a pipeline is assembled, part of it where it pays."""

from pathlib import Path

import numpy as np
import pytest

from configs.gate import PageGateParams
from ocr.dataset.preparation import SnapshotRef
from ocr.evaluation.bootstrap import Interval
from ocr.evaluation.pages.choice import Gain
from ocr.evaluation.pages.gaps.gain import GapGain
from ocr.models.gap_model import BUCKETS, GapModel
from ocr.models.pipeline import GAP_MODEL, read_gap_model, read_pipeline
from ocr.models.registry import Registry
from ocr.reading.page_reader import PlacedPage
from tasks.readers import load_pipeline
from tasks.workspace import open_workspace
from tests.tasks.test_pages import assemble, judge

MODEL = GapModel(np.ones(BUCKETS, dtype=np.float32), 0.9)


def gain(change: float) -> GapGain:
    return GapGain(MODEL, 7, Gain(0.9, Interval(change, lower=-0.002, upper=0.02)))


def assemble_with(
    found: GapGain, pages: SnapshotRef, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, str]:
    """Return the folder of the pipeline and its report."""
    monkeypatch.setattr("tasks.assembling.gaps.fit_gap_model", lambda *_: found)
    made = assemble(pages)
    report = Path(judge(made, pages, PageGateParams()).report).read_text(encoding="utf-8")
    workspace = open_workspace()
    return workspace.fetch_bundle(workspace.registry.resolve(made.reference)), report


def test_a_model_that_pays_is_part_of_the_pipeline(
    registry: Registry,
    pages: SnapshotRef,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, report = assemble_with(gain(0.01), pages, monkeypatch)

    manifest = read_pipeline(folder)
    assert read_gap_model(folder, manifest) is not None
    assert manifest.metrics["gap_model_gain"] == 0.01
    assert "Lines are parted at wide gaps" in (folder / "card.md").read_text(encoding="utf-8")
    assert "+0.0100 (-0.0020 to +0.0200) with" in capsys.readouterr().err
    assert "parted; end-to-end Hmean of the validation pages: +0.0100" in report


def test_a_model_that_does_not_help_is_left_out(
    registry: Registry,
    pages: SnapshotRef,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, report = assemble_with(gain(0.0), pages, monkeypatch)

    manifest = read_pipeline(folder)
    assert read_gap_model(folder, manifest) is None
    assert not (folder / GAP_MODEL).exists()
    assert "left out, as it does not help" in capsys.readouterr().err
    assert "not parted, as it does not help" in report


def test_pages_without_neighbours_make_a_pipeline_without_a_model(
    registry: Registry, pages: SnapshotRef, capsys: pytest.CaptureFixture[str]
) -> None:
    made = assemble(pages)

    manifest = read_pipeline(open_workspace().fetch_bundle(registry.resolve(made.reference)))
    assert "gap_model_gain" not in manifest.metrics
    assert GAP_MODEL not in manifest.files
    assert "no line will be parted" in capsys.readouterr().err


def test_every_reader_of_a_pipeline_parts_lines_but_a_plain_one(
    registry: Registry, pages: SnapshotRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.assembling.gaps.fit_gap_model", lambda *_: gain(0.01))
    made = assemble(pages)
    used: list[GapModel] = []

    def note(page: PlacedPage, model: GapModel) -> PlacedPage:
        used.append(model)
        return page

    monkeypatch.setattr(PlacedPage, "parted", note)
    page = np.zeros((64, 64, 3), dtype=np.uint8)

    load_pipeline(open_workspace(), made.reference, plain=True).read(page)
    assert not used
    load_pipeline(open_workspace(), made.reference).read(page)
    assert used[0].cut_above == 0.9
