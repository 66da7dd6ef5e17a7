"""The judgement of lines: a report for a person, and who may not come back by itself."""

import re
from pathlib import Path

import pytest

from configs.gate import LineGateParams
from configs.jobs import TrainResult
from tasks.judging.lines import judge_lines
from tasks.references import JudgementRef, ModelRef
from tests.tasks.conftest import ToyProject

# All toys read the same; so few lines would not tell with the usual margin.
GATE = LineGateParams(margin=0.9)


@pytest.fixture
def candidate(project: ToyProject) -> ModelRef:
    """A version beside the champion, as good as it."""
    project.add("v1")
    project.promote("v1")
    return project.add("v2")


def judge(project: ToyProject, candidate: ModelRef) -> JudgementRef:
    return judge_lines.fn(project.evaluate(candidate), GATE)


def test_candidate_as_good_as_the_champion_is_accepted(
    project: ToyProject, candidate: ModelRef
) -> None:
    judgement = judge(project, candidate)

    assert (judgement.verdict, judgement.accepted) == ("promote", True)
    assert "toy:v1" in judgement.reasons[0]
    assert "<html" in Path(judgement.report).read_text(encoding="utf-8")[:200]


def test_report_says_how_many_were_judged_on_the_test_before(
    project: ToyProject, candidate: ModelRef
) -> None:
    for version in ("v3", "v4"):
        judge(project, project.add(version))

    judge(project, candidate)
    judgement = judge(project, candidate)

    html = Path(judgement.report).read_text(encoding="utf-8")
    assert re.search(r"Other versions judged on this test</th><td[^>]*>2</td>", html)


def test_report_says_on_what_the_candidate_was_trained(
    project: ToyProject, candidate: ModelRef
) -> None:
    result = TrainResult(
        kind="train-recogniser",
        checkpoint="checkpoint",
        metrics={},
        timings={},
        environment={"device": "2 x gpu"},
    )
    key = f"{candidate.checkpoints[0]}/result.json"
    project.registry.store.put_bytes(key, result.model_dump_json().encode())

    judgement = judge(project, candidate)

    html = Path(judgement.report).read_text(encoding="utf-8")
    for words in ("2 x gpu", "Measured beside", "Champion then"):
        assert words in html


def test_version_that_a_person_rolled_back_is_held(
    project: ToyProject, candidate: ModelRef
) -> None:
    project.promote("v2")
    project.rollback()

    judgement = judge(project, candidate)

    assert (judgement.verdict, judgement.accepted) == ("hold", False)
    assert "was rolled back" in judgement.reasons[0]


def test_nets_that_a_person_rolled_back_are_held_however_they_are_exported(
    project: ToyProject, candidate: ModelRef
) -> None:
    project.promote("v2")
    project.rollback()

    again = judge(project, project.add("v3", checkpoint=candidate.checkpoints[0]))

    assert (again.verdict, again.accepted) == ("hold", False)
    assert judge(project, project.add("v4")).accepted
    project.promote("v3")
    project.promote("v4")
    assert judge(project, project.add("v5", checkpoint=candidate.checkpoints[0])).accepted


def test_champion_of_the_same_nets_is_said(
    project: ToyProject, candidate: ModelRef, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "candidate and champion are of the same trained nets"

    judge(project, candidate)
    assert said not in capsys.readouterr().err
    judge(project, project.add("v3", checkpoint="checkpoints/v1"))
    assert said in capsys.readouterr().err


def test_version_that_was_rolled_back_to_one_of_the_same_nets_is_held(
    project: ToyProject, candidate: ModelRef
) -> None:
    again = project.add("v3", checkpoint="checkpoints/v1")
    project.promote("v3")
    project.rollback()

    assert not judge(project, again).accepted
    assert judge(project, candidate).accepted


def test_version_that_a_failed_deployment_took_back_may_try_again(
    project: ToyProject, candidate: ModelRef
) -> None:
    promoted = project.registry.promote("toy", "v2", reason="better")
    project.registry.undo(promoted, reason="deployment failed")

    assert judge(project, candidate).verdict == "promote"
