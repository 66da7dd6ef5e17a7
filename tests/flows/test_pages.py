"""A retraining of pages: which of its trainings run at the same time."""

from typing import Any

import pytest

from configs.presets import load_params
from configs.retrain import RetrainPagesParams
from flows import retrain_pages as flow

STAGES = (
    *("check_engine", "find_start", "sweep_leftovers", "prepare_pages", "crop_pages"),
    *("find_cascade", "prepare_further_pages"),
)


class Submitted:
    """A task that is submitted and never run."""

    def __init__(self) -> None:
        self.after: Any = "nothing"

    def submit(self, *_: Any, wait_for: Any = None, **_named: Any) -> "Submitted":
        self.after = wait_for
        return self


@pytest.mark.parametrize("nodes", [1, 2])
def test_several_machines_learn_one_net_after_the_other_as_all_meet_at_one_address(
    monkeypatch: pytest.MonkeyPatch, nodes: int
) -> None:
    detecting, recognising = Submitted(), Submitted()
    for stage in STAGES:
        monkeypatch.setattr(flow, stage, lambda *_: None)
    monkeypatch.setattr(flow, "train_detector", detecting)
    monkeypatch.setattr(flow, "train_recogniser", recognising)
    monkeypatch.setattr(flow, "finish_together", lambda *both: both)
    given = [f"resources.nodes={nodes}", "resources.rendezvous=10.0.0.1:6170"]
    params = load_params("receipts", overrides=["dataset.root=/x", *given])

    assert isinstance(params, RetrainPagesParams)
    flow.retrain_pages.fn(params, "train")

    assert detecting.after is None
    assert recognising.after == [detecting] * (nodes > 1)
