"""Deployment against a real gateway: proof by golden answers, and the way back."""

from pathlib import Path

import pytest

from configs.deployment import DeploymentParams
from ocr.errors import AliasMoved, ParityFailed
from tasks.deploy import deploy_model
from tasks.gateway_client import GatewayClient, GatewayUnavailable, VersionRefused
from tasks.references import EvaluationRef, JudgementRef, ModelRef
from tests.serving.conftest import Shelf, make_shelf
from tests.serving.gateway import running_gateway
from tests.serving.tiny_bundle import DIGITS, LETTERS, make_bundle

JUDGEMENT = JudgementRef(verdict="promote", accepted=True, reasons=("better",), report="")


def evaluation_of(version: str, *, champion: str | None) -> EvaluationRef:
    return EvaluationRef(
        key="evaluations/e",
        model=ModelRef(name="bars", version=version, checkpoints=("checkpoints/c",)),
        dataset="datasets/bars/d",
        opponent="none",
        champion=champion,
    )


def params(url: str, *, timeout_s: float = 60) -> DeploymentParams:
    return DeploymentParams(target="gateway", endpoint=url, timeout_s=timeout_s)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    shelf = make_shelf(tmp_path)
    shelf.add("v1", DIGITS)
    shelf.registry.promote("bars", "v1", reason="first")
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "task"))
    monkeypatch.setenv("OCRLINE_STORE", shelf.store)
    return shelf


def test_accepted_candidate_is_served_and_proven(shelf: Shelf) -> None:
    shelf.add("v2", LETTERS)
    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        deploy_model.fn(evaluation_of("v2", champion="v1"), JUDGEMENT, params(gateway.url))

        served = gateway.model()["version"]

    assert served == "v2"
    assert shelf.registry.history("bars")[-1].reason == "better"


def test_bundle_that_does_not_read_as_exported_is_rolled_back(shelf: Shelf) -> None:
    broken = make_bundle(
        shelf.folder / "broken", version="v2", characters=LETTERS, golden_characters=DIGITS
    )
    shelf.registry.register("bars", "v2", broken)
    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_for("v1")
        with pytest.raises(VersionRefused, match="does not serve bars:v2"):
            deploy_model.fn(evaluation_of("v2", champion="v1"), JUDGEMENT, params(gateway.url))
        served = gateway.model()["version"]

    champion = shelf.registry.champion("bars")
    assert champion is not None
    assert (champion.version, served) == ("v1", "v1")
    assert champion.history[-1].action == "undo"
    assert champion.history[-1].reason.startswith("deployment failed")


def test_champion_that_moved_since_the_evaluation_is_not_overwritten(shelf: Shelf) -> None:
    shelf.add("v2", LETTERS)
    shelf.add("v3", DIGITS)
    shelf.registry.promote("bars", "v3", reason="somebody else")

    with pytest.raises(AliasMoved):
        deploy_model.fn(
            evaluation_of("v2", champion="v1"), JUDGEMENT, DeploymentParams(target="none")
        )


def test_a_candidate_that_somebody_took_back_since_it_was_judged_stays_offline(
    shelf: Shelf,
) -> None:
    shelf.add("v2", LETTERS)
    shelf.registry.promote("bars", "v2", reason="by hand")
    shelf.registry.rollback("bars", reason="it reads badly")

    with pytest.raises(AliasMoved, match="took bars:v2 back since it was judged"):
        deploy_model.fn(
            evaluation_of("v2", champion="v1"), JUDGEMENT, DeploymentParams(target="none")
        )

    assert shelf.registry.history("bars")[-1].action == "rollback"


def test_answers_of_another_model_are_told_apart(shelf: Shelf) -> None:
    other = make_bundle(shelf.folder / "other", version="v1", characters=LETTERS)
    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        gateway.wait_ready()

        with (
            GatewayClient(gateway.url) as client,
            pytest.raises(
                ParityFailed,
                match=r"golden image 000\.png reads '0123456789' instead of 'ABCDEFGHIJ'",
            ),
        ):
            client.check_golden_lines(other, name="bars", version="v1")


def test_another_engine_than_asked_for_is_told_and_taken_back(shelf: Shelf) -> None:
    shelf.add("v2", LETTERS)
    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        asked = DeploymentParams(target="paddle-serving", endpoint=gateway.url, timeout_s=60)

        with pytest.raises(GatewayUnavailable, match="runs bars with onnxruntime, asked for paddl"):
            deploy_model.fn(evaluation_of("v2", champion="v1"), JUDGEMENT, asked)

    champion = shelf.registry.champion("bars")
    assert champion is not None
    assert champion.version == "v1"
