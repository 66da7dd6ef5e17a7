"""A retraining that fails or gives up: how Prefect shows it, and who is told."""

from collections.abc import Iterator
from typing import Any

import pytest
from prefect.testing.utilities import prefect_test_harness

from configs.presets import load_params
from configs.retrain import RetrainLinesParams
from flows import retrain_lines as flow
from tasks.notifying import hooks
from tasks.notifying.notice import Notice
from tasks.starting.turn import ModelBusy, take_turn
from tests.tasks.conftest import empty

__all__ = ["empty"]

pytestmark = [pytest.mark.timeout(600), pytest.mark.usefixtures("harness", "empty")]


@pytest.fixture(scope="module")
def harness() -> Iterator[None]:
    with prefect_test_harness(server_startup_timeout=240):
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
