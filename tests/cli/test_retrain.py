"""What `ocrline retrain` starts and remembers for its run; the stages themselves are not run."""

from pathlib import Path

import pytest

from cli.main import run
from configs.deployment import ENDPOINT
from configs.settings import Settings
from deploy.services import remember_endpoint, remembered_endpoint

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


def test_a_home_that_was_told_of_no_gateway_has_the_one_at_the_usual_port() -> None:
    run(["retrain", "smoke", "--until", "export"])

    assert remembered_endpoint(Settings()) == ENDPOINT
