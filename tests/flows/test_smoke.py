"""When a retraining tries a short training first, and what its failure spares."""

from typing import Any

import pytest

from configs.presets import load_params
from configs.retrain import RetrainLinesParams, RetrainPagesParams
from flows import retrain_lines, retrain_pages
from flows.stages import Stage
from ocr.errors import TrainingFailed

COMMON = ("check_engine", "find_start", "sweep_leftovers")
LINES = ("prepare_lines", "prepare_further_lines")
PAGES = ("prepare_pages", "crop_pages", "find_cascade", "prepare_further_pages")


class Ran(list[str]):
    """Names of the tasks that ran, in their order; `fails` is the one that does."""

    fails = ""

    def task(self, name: str) -> Any:
        ran = self

        class Task:
            def __call__(self, *_: Any, **_named: Any) -> str:
                ran.append(name)
                if name == ran.fails:
                    raise TrainingFailed(name)
                return name

            submit = __call__

        return Task()


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Ran:
    ran = Ran()
    for flow, stages in ((retrain_lines, LINES), (retrain_pages, PAGES)):
        for stage in (*COMMON, *stages, "check_gateway"):  # which asks whoever has our usual port
            monkeypatch.setattr(flow, stage, lambda *_: None)
        for net in ("recogniser", "detector"):
            for what in (f"smoke_{net}", f"train_{net}"):
                monkeypatch.setattr(flow, what, ran.task(what), raising=False)
    monkeypatch.setattr(retrain_pages, "finish_together", lambda *both: both)
    return ran


def retrain(preset: str, until: Stage, *, must_pass: bool) -> Any:
    params = load_params(preset, overrides=[f"smoke.must_pass={must_pass}"])
    if isinstance(params, RetrainPagesParams):
        return retrain_pages.retrain_pages.fn(params, until)
    assert isinstance(params, RetrainLinesParams)
    return retrain_lines.retrain_lines.fn(params, until)


NETS = {"smoke": ["recogniser"], "smoke-pages": ["detector", "recogniser"]}


@pytest.mark.parametrize("preset", NETS)
@pytest.mark.parametrize(
    ("until", "must_pass", "kinds"),
    [
        ("prepare", True, []),
        ("smoke", False, ["smoke"]),
        ("smoke", True, ["smoke"]),
        ("train", False, ["train"]),
        ("train", True, ["smoke", "train"]),
    ],
)
def test_a_smoke_comes_first_where_it_is_asked_for_or_must_pass(
    ran: Ran, preset: str, until: Stage, must_pass: bool, kinds: list[str]
) -> None:
    retrain(preset, until, must_pass=must_pass)

    assert ran == [f"{kind}_{net}" for kind in kinds for net in NETS[preset]]


@pytest.mark.parametrize("preset", NETS)
def test_nothing_is_trained_in_full_after_a_smoke_that_failed(ran: Ran, preset: str) -> None:
    ran.fails = "smoke_recogniser"

    with pytest.raises(TrainingFailed):
        retrain(preset, "deploy", must_pass=True)

    assert not any(name.startswith("train") for name in ran)
