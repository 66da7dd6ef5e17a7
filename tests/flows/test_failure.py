"""A retraining that fails or gives up: how Prefect shows it, and who is told."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from prefect import task

from configs.presets import load_params
from configs.retrain import RetrainLinesParams
from flows import retrain_lines as flow
from ocr.errors import BadInput
from tasks.notifying import hooks
from tasks.notifying.notice import Notice
from tasks.run.narration import log_refusals_plainly
from tasks.starting.turn import ModelBusy, take_turn
from tests.tasks.conftest import empty
from tests.tasks.prefect_server import running_server

__all__ = ["empty"]

pytestmark = [pytest.mark.timeout(600), pytest.mark.usefixtures("harness", "empty")]


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with running_server(tmp_path_factory.mktemp("machine") / "prefect"):
        yield


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Notice]:
    """What was told of a retraining whose first stages do nothing."""
    notices: list[Notice] = []
    monkeypatch.setattr(hooks, "notify", notices.append)
    stages = ("check_engine", "find_start", "sweep_leftovers", "prepare_lines")
    for stage in (*stages, "prepare_further_lines"):
        monkeypatch.setattr(flow, stage, lambda *_: None)
    return notices


def retrain() -> Any:
    """Run the flow up to its training, and return its state."""
    params = load_params("smoke", overrides=["name=plates", "smoke.must_pass=false"])
    assert isinstance(params, RetrainLinesParams)
    run: Any = flow.retrain_lines
    return run(params, "train", return_state=True)


def fail(*_: Any) -> None:
    raise RuntimeError("the disk is full")


def test_a_run_that_fails_is_told(told: list[Notice], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "train_recogniser", fail)

    state = retrain()

    (notice,) = told
    assert state.is_failed()
    assert (notice.kind, notice.model) == ("failure", "plates")
    assert "the disk is full" in notice.why


@pytest.mark.parametrize(("error", "has_trace"), [(BadInput, False), (RuntimeError, True)])
def test_a_run_log_has_the_message_of_a_refusal_and_the_trace_of_a_fault(
    error: type[Exception],
    has_trace: bool,
    told: list[Notice],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    @task
    def train(*_: Any) -> None:
        raise error("epochs: 0 is too few")

    monkeypatch.setattr(flow, "train_recogniser", train)
    loggers = [logging.getLogger(f"prefect.{of}") for of in ("flow_runs", "task_runs")]
    log_refusals_plainly()
    for logger in loggers:
        logger.addHandler(caplog.handler)

    retrain()

    for logger in loggers:
        logger.removeHandler(caplog.handler)
    failed = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert {record.name for record in failed} == {logger.name for logger in loggers}
    assert all("epochs: 0 is too few" in record.getMessage() for record in failed)
    traced = {record.name for record in failed if record.exc_info and record.exc_info[1]}
    assert traced == ({logger.name for logger in loggers} if has_trace else set())


def test_a_run_that_gives_up_beside_another_one_is_cancelled_with_its_reason_and_not_told(
    told: list[Notice], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow, "train_recogniser", fail)
    monkeypatch.setenv("OCRLINE_WHEN_BUSY", "CANCEL_NEW")
    with take_turn("plates"):
        state = retrain()

    assert (state.is_cancelled(), told) == (True, [])
    assert "another run of this machine trains plates" in state.message
    with pytest.raises(ModelBusy, match="start this one later"):  # which the terminal shows
        state.result()
