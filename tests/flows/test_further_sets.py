"""A retraining whose candidate must not forget a further set; only its training is made up."""

from pathlib import Path
from typing import Any

import pytest

from configs.further import FurtherLinesParams
from flows import retrain_lines as flow
from flows.stages import Stage
from ocr.models.registry import Registry
from tasks.references import JudgementRef
from tasks.workspace import open_workspace
from tests.ocr.report.page import Page
from tests.tasks.bars import (
    READS_ALL,
    READS_DOMAIN,
    READS_GENERAL,
    add_version,
    describe_project,
    write_lines,
)

WITHOUT_TRAINING = ("prepare_lines", "prepare_further_lines", "evaluate_lines", "judge_lines")


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A store whose champion reads the general set, and nothing of the domain."""
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    for name in (*WITHOUT_TRAINING, "deploy_model", "sweep_leftovers"):
        monkeypatch.setattr(flow, name, getattr(flow, name).fn)  # without Prefect's server
    add_version(tmp_path, "old", READS_GENERAL)
    registry = open_workspace().registry
    registry.promote("bars", "old", reason="first")
    return registry


def retrain(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    candidate: str,
    until: Stage = "deploy",
    *,
    floor: float = 0.5,
) -> Any:
    """Run the flow on lines with a general set; its training makes the candidate."""
    write_lines(folder / "general", "56789")
    general = FurtherLinesParams(
        name="general", root=str(folder / "general"), labels="labels.txt", min_accuracy=floor
    )
    made = add_version(folder, "new", candidate)
    monkeypatch.setattr(flow, "train_recogniser", lambda *_: None)
    monkeypatch.setattr(flow, "export_recogniser", lambda *_: made)
    return flow.retrain_lines.fn(describe_project(folder, general), until)


@pytest.mark.parametrize(("floor", "verdict"), [(0.0, "hold"), (0.5, "block")])
def test_a_candidate_that_is_better_but_forgot_the_general_set_is_held(
    registry: Registry,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    floor: float,
    verdict: str,
) -> None:
    judgement: JudgementRef = retrain(tmp_path, monkeypatch, READS_DOMAIN, floor=floor)

    champion = registry.champion("bars")
    assert judgement.verdict == verdict
    assert all("“general”" in reason for reason in judgement.reasons)
    assert champion is not None
    assert champion.version == "old"
    said = capsys.readouterr().err
    assert f"further set general: {verdict}: accuracy 0.0% on 60 lines, −100.0 points" in said
    html = Path(judgement.report).read_text(encoding="utf-8")
    for shown in ("Further sets", "general: lines that are misread", "Further set general"):
        assert shown in html
    assert "further" in Page(html).ids


def test_a_candidate_that_is_better_and_forgot_nothing_is_promoted(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judgement: JudgementRef = retrain(tmp_path, monkeypatch, READS_ALL)

    champion = registry.champion("bars")
    assert judgement.accepted
    assert champion is not None
    assert champion.version == "new"
    kinds = [key.split("/")[0] for key in champion.history[-1].judged_by]
    assert kinds == ["datasets", "evaluations", "evaluations"]
