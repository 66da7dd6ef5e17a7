"""Which versions that were taken back may come back by themselves."""

from pathlib import Path

import pytest

from configs.deployment import DeploymentParams
from configs.gate import LineGateParams
from tasks.deploy import deploy_model
from tasks.gateway_client import GatewayUnavailable
from tasks.judge_lines import judge_lines
from tasks.references import EvaluationRef, JudgementRef, ModelRef
from tests.tasks.conftest import ToyLine

# All toys read the same; so few lines would not tell with the usual margin.
GATE = LineGateParams(margin=0.9)
NOWHERE = DeploymentParams(endpoint="http://127.0.0.1:9", timeout_s=0.2)


@pytest.fixture
def candidate(line: ToyLine) -> ModelRef:
    """A version beside the champion, as good as it."""
    line.add("v1")
    line.promote("v1")
    return line.add("v2")


def judge(line: ToyLine, candidate: ModelRef) -> JudgementRef:
    return judge_lines.fn(line.evaluate(candidate), GATE)


def deploy_in_vain(evaluation: EvaluationRef, judgement: JudgementRef) -> None:
    with pytest.raises(GatewayUnavailable):
        deploy_model.fn(evaluation, judgement, NOWHERE)


def test_candidate_as_good_as_the_champion_is_accepted(line: ToyLine, candidate: ModelRef) -> None:
    judgement = judge(line, candidate)

    assert (judgement.verdict, judgement.accepted) == ("promote", True)
    assert "toy:v1" in judgement.reasons[0]
    assert "<html" in Path(judgement.report).read_text(encoding="utf-8")[:200]


def test_version_that_a_person_rolled_back_is_held(line: ToyLine, candidate: ModelRef) -> None:
    line.promote("v2")
    line.rollback()

    judgement = judge(line, candidate)

    assert (judgement.verdict, judgement.accepted) == ("hold", False)
    assert "was rolled back" in judgement.reasons[0]


def test_rolled_back_version_is_held_whatever_followed(line: ToyLine, candidate: ModelRef) -> None:
    line.promote("v2")
    line.rollback()
    line.add("v3")
    line.promote("v3")

    assert judge(line, candidate).verdict == "hold"


def test_version_that_a_person_promoted_again_is_not_held(
    line: ToyLine, candidate: ModelRef
) -> None:
    line.promote("v2")
    line.rollback()
    line.promote("v2")

    assert judge(line, candidate).verdict == "promote"


def test_version_that_a_failed_deployment_took_back_may_try_again(
    line: ToyLine, candidate: ModelRef
) -> None:
    evaluation = line.evaluate(candidate)
    deploy_in_vain(evaluation, judge_lines.fn(evaluation, GATE))
    assert line.registry.history("toy")[-1].action == "undo"

    assert judge(line, candidate).verdict == "promote"


def test_rollback_by_hand_outweighs_an_earlier_failed_deployment(
    line: ToyLine, candidate: ModelRef
) -> None:
    evaluation = line.evaluate(candidate)
    deploy_in_vain(evaluation, judge_lines.fn(evaluation, GATE))
    line.promote("v2")
    line.rollback()

    assert judge(line, candidate).verdict == "hold"
