"""What `ocrline retrain` starts and remembers for its run; the stages themselves are not run."""

from pathlib import Path

import pytest

from cli.main import run
from configs.deployment import ENDPOINT, DeploymentParams
from configs.retrain import RetrainLinesParams
from configs.settings import Settings
from deploy.services import remember_endpoint, remembered_endpoint
from tasks.gateway_address import find_endpoint

TOLD = "http://127.0.0.1:9468"
OTHER = "http://127.0.0.1:9469"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path))
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")  # none is started
    monkeypatch.setattr("cli.retrain._run_flow", lambda *_: None)


def test_the_gateway_that_up_was_told_of_is_remembered_by_a_run_that_names_none() -> None:
    remember_endpoint(Settings(), TOLD)

    code = run(["retrain", "smoke", "--until", "export"])

    assert (code, remembered_endpoint(Settings())) == (0, TOLD)


def test_a_gateway_that_a_run_names_is_the_one_remembered_from_then_on() -> None:
    remember_endpoint(Settings(), TOLD)

    named = run(["retrain", "smoke", "--until", "export", "--set", f"deployment.endpoint={OTHER}"])
    again = run(["retrain", "smoke", "--until", "export"])

    assert (named, again, remembered_endpoint(Settings())) == (0, 0, OTHER)


def test_what_another_run_tells_the_home_meanwhile_changes_nothing_for_this_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    remember_endpoint(Settings(), TOLD)
    asked: list[str] = []

    def run_flow(params: RetrainLinesParams, _: str) -> None:
        remember_endpoint(Settings(), OTHER)
        asked.append(find_endpoint(params.deployment, Settings().home))

    monkeypatch.setattr("cli.retrain._run_flow", run_flow)
    run(["retrain", "smoke", "--until", "export"])

    assert asked == [TOLD]
    assert remembered_endpoint(Settings()) == OTHER


def test_a_gateway_of_another_engine_is_another_projects() -> None:
    remember_endpoint(Settings(), TOLD, engine="paddle-serving")

    ours, theirs = (DeploymentParams(target=t) for t in ("gateway", "paddle-serving"))

    assert find_endpoint(ours, Settings().home) == ENDPOINT
    assert find_endpoint(theirs, Settings().home) == TOLD


def test_a_home_that_was_told_of_no_gateway_has_the_one_at_the_usual_port() -> None:
    run(["retrain", "smoke", "--until", "export"])

    assert remembered_endpoint(Settings()) == ENDPOINT
