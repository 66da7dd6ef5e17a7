"""One training of a model at a time: another waits for it, or gives up."""

import os
from pathlib import Path
from threading import Event, Thread

import pytest

from tasks.starting.turn import ModelBusy, take_turn

pytestmark = pytest.mark.usefixtures("empty")


def test_a_second_training_of_a_model_waits_for_the_first_and_one_of_another_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began, waits, said = Event(), Event(), list[str]()

    def hear(_: str, message: str) -> None:
        said.append(message)
        waits.set()

    def train() -> None:
        with take_turn("digits"):
            began.set()

    monkeypatch.setattr("tasks.run.alone.narrate", hear)
    with take_turn("digits"), take_turn("plates"):
        second = Thread(target=train)
        second.start()
        waits.wait(60)
        waited = not began.wait(1.5)
    second.join(60)

    assert waited
    assert began.is_set()
    assert said == ["waiting for another run of this machine, which makes model-digits"]


def test_where_the_project_says_so_it_gives_up_and_leaves_the_first_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OCRLINE_WHEN_BUSY", "CANCEL_NEW")
    with take_turn("digits"):
        with (
            pytest.raises(ModelBusy, match=r"another run of this machine trains digits, and oper"),
            take_turn("digits"),
        ):
            pass
        locks = [path.name for path in Path(os.environ["OCRLINE_HOME"]).glob("jobs/*.lock")]

    with take_turn("digits"):
        pass
    assert locks == ["model-digits.lock"]
