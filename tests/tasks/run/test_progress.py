"""The bars of trainings that run at the same time."""

from io import StringIO
from threading import Thread

import pytest
from rich.console import Console

from tasks.run import progress
from tasks.run.progress import Bars, TrainingProgress, track_rows

STEP = {"event": "step", "step": 5, "steps": 10, "loss": 0.5, "images_per_s": 70.0}


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    screen = StringIO()
    monkeypatch.setenv("TERM", "xterm")  # on a dumb one there are no bars
    console = Console(file=screen, force_terminal=True, width=120)
    monkeypatch.setattr(progress, "BARS", Bars(console))
    return screen


def test_two_trainings_show_a_bar_each(terminal: StringIO) -> None:
    with TrainingProgress("detector") as detector, TrainingProgress("recogniser") as recogniser:
        detector.update({**STEP, "seconds_left": 3.0})
        recogniser.update({**STEP, "step": 7, "seconds_left": 2.0})
        progress.BARS._bars.refresh()

    shown = terminal.getvalue()
    assert "detector" in shown
    assert "recogniser" in shown
    assert "7/10" in shown


def test_trainings_of_several_threads_share_the_terminal(terminal: StringIO) -> None:
    failed: list[BaseException] = []

    def train() -> None:
        try:
            for _ in range(5):
                with TrainingProgress("detector") as bar:
                    bar.update({**STEP, "seconds_left": 3.0})
        except BaseException as error:  # noqa: BLE001 - of a thread, to be seen by the test
            failed.append(error)

    threads = [Thread(target=train) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []


def test_a_training_that_goes_on_is_told_from_one_that_begins(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with TrainingProgress("detector") as detector:
        detector.update({"event": "resumed", "step": 5})

    assert "detector: goes on after step 5" in capsys.readouterr().err


def test_the_bar_of_one_training_stays_when_the_other_ends(terminal: StringIO) -> None:
    with TrainingProgress("recogniser") as recogniser:
        with TrainingProgress("detector"):
            pass
        terminal.truncate(0)
        recogniser.update({**STEP, "seconds_left": 3.0})
        progress.BARS._bars.refresh()

    assert "5/10" in terminal.getvalue()
    assert "detector" not in terminal.getvalue()


def test_a_preparation_shows_how_many_rows_it_has_looked_into(terminal: StringIO) -> None:
    rows = track_rows(iter(range(200)), 200)

    seen = [next(rows) for _ in range(128)]
    progress.BARS._bars.refresh()
    seen += rows

    assert "128/200  rows" in terminal.getvalue()
    assert seen == list(range(200))
    assert progress.BARS._count == 0


@pytest.mark.parametrize(
    ("net", "event", "said"),
    [
        ("detector", {"event": "validation", "step": 3, "hmean": 0.5}, "hmean 0.5000"),
        ("recogniser", {"event": "validation", "step": 3, "accuracy": 0.25}, "accuracy 0.2500"),
        ("detector", {"event": "notice", "step": 0, "message": "no GPU"}, "detector: no GPU"),
        (
            "detector",
            {"event": "notice", "step": 0, "message": "ended (training.patience)"},
            "detector: ended (detector.patience)",
        ),
    ],
)
def test_what_happens_is_told_with_the_name_of_the_net(
    net: progress.Net,
    event: dict[str, object],
    said: str,
    capsys: pytest.CaptureFixture[str],
    terminal: StringIO,
) -> None:
    with TrainingProgress(net, net) as training:
        training.update(event)

    told = capsys.readouterr().err
    assert net in told
    assert said in told
