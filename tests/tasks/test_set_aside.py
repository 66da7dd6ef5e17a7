"""What a pipeline sets aside: chosen where it is assembled, part of it where that pays."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from configs.gate import PageGateParams
from ocr.dataset.preparation import SnapshotRef
from ocr.evaluation.bootstrap import Interval
from ocr.evaluation.pages.choice import Gain
from ocr.evaluation.pages.set_aside import SetAsideGain
from ocr.models.registry import Registry
from tasks.readers import load_pipeline
from tasks.workspace import open_workspace
from tests.serving.tiny_pipeline import draw_page
from tests.tasks.test_pages import assemble, judge

PAGE = draw_page(["2026", "31415"], unsure=[1])


def assemble_with(
    change: float, pages: SnapshotRef, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, Mapping[str, Any], str, str]:
    """Return the reference, the manifest, the card and the report."""
    found = SetAsideGain(0.9, Gain(0.95, Interval(change, lower=-0.002, upper=0.02)))
    monkeypatch.setattr("tasks.assembling.set_aside.choose_min_confidence", lambda *_: found)
    made = assemble(pages)
    report = Path(judge(made, pages, PageGateParams()).report).read_text(encoding="utf-8")
    model = open_workspace().registry.resolve(made.reference)
    card = (open_workspace().fetch_bundle(model) / "card.md").read_text(encoding="utf-8")
    return made.reference, model.manifest, card, report


def test_where_it_pays_lines_are_set_aside_but_by_a_plain_reader(
    registry: Registry,
    pages: SnapshotRef,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    reference, manifest, card, report = assemble_with(0.01, pages, monkeypatch)

    assert manifest["min_confidence"] == 0.9
    assert manifest["metrics"]["min_confidence_gain"] == 0.01
    assert "Lines of a confidence below 0.9 are set aside." in card
    assert "lines below a confidence of 90% set aside" in capsys.readouterr().err
    assert "below 90%; end-to-end Hmean of the validation pages: +0.0100" in report
    reading = load_pipeline(open_workspace(), reference).read(PAGE)
    assert (len(reading.lines), len(reading.set_aside)) == (1, 1)
    for everything in ({"plain": True}, {"sets_aside": False}):
        reading = load_pipeline(open_workspace(), reference, **everything).read(PAGE)
        assert (len(reading.lines), len(reading.set_aside)) == (2, 0)


def test_where_it_does_not_help_nothing_is_set_aside(
    registry: Registry,
    pages: SnapshotRef,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    reference, manifest, card, report = assemble_with(0.0, pages, monkeypatch)

    assert "min_confidence" not in manifest  # which earlier releases do not know
    assert "set aside." not in card
    assert "none is, as it does not help" in capsys.readouterr().err
    assert "none, as it does not help; end-to-end" in report
    reading = load_pipeline(open_workspace(), reference).read(PAGE)
    assert (len(reading.lines), len(reading.set_aside)) == (2, 0)
