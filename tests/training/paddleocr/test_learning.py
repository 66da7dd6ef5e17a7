"""A training watched from outside, with a stand-in for PaddleOCR's trainer that misbehaves."""

import os
import sys
import time
from pathlib import Path
from threading import Timer
from typing import Any

import psutil
import pytest

from configs.jobs import PaddleOcrRuntime, TrainPaddleOcrRecogniserJob
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from ocr.errors import OcrError, TrainingFailed
from training.loop.guards import Stopped, StopRequest
from training.loop.progress import read_events
from training.paddleocr.kept import Kept
from training.paddleocr.learning import Learning
from training.paddleocr.tool import log as tool_log

STEP = (
    "epoch: [{0}/2], global_step: {1}, lr: 0.1, loss: {2}, avg_reader_cost: 0.1 s, "
    "avg_batch_cost: 0.1 s, avg_samples: 1, ips: 5.0 samples/s, eta: 0:00:00"
)
EPOCH = f"""
import os, signal, sys, time
from pathlib import Path

def learn(number, loss=1.0, step=0, acc=0.5):
    print({STEP!r}.format(number, step or 3 * number, loss), flush=True)
    if acc is not None:
        print(f"cur metric, acc: {{acc}}, norm_edit_dis: 0.5, fps: 1.0", flush=True)

def epoch(number, loss=1.0, step=0, acc=0.5):
    learn(number, loss, step, acc)
    os.makedirs("output", exist_ok=True)
    for suffix in (".pdparams", ".pdopt", ".states"):
        Path(f"output/iter_epoch_{{number}}{{suffix}}").write_text(str(number))
    print("save model in " + os.path.abspath(f"output/iter_epoch_{{number}}"), flush=True)
    time.sleep(0.2)

"""


@pytest.fixture
def learning(tmp_path: Path) -> "Scene":
    return Scene(tmp_path)


class Scene:
    """A job whose trainer is a script."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "job"
        self.tree = folder / "tree"
        (self.tree / "tools").mkdir(parents=True)
        self.folder.mkdir()
        self.stop = StopRequest()
        self.timings: dict[str, float] = {}
        self._others = set(psutil.Process().children(recursive=True))

    def left(self) -> set[psutil.Process]:
        """Processes that the training started and did not end."""
        return set(psutil.Process().children(recursive=True)) - self._others

    def run(
        self,
        script: str,
        *,
        timeout_s: float = 60,
        greets: bool = True,
        devices: int = 1,
        **training: Any,
    ) -> Kept:
        greeting = "print('ppocr INFO: train dataloader has 3 iters')\n" * greets
        (self.tree / "tools/train.py").write_text(EPOCH + greeting + script)
        training = {"epochs": 2, "no_progress_timeout_s": timeout_s} | training
        job = job_of(self.tree, ResourceParams(devices=devices), **training)
        kept = Kept(self.folder)
        output = str(self.folder / "output")
        config = {"Global": {"checkpoints": None, "save_model_dir": output, "seed": 7}}
        learning = Learning(
            job, self.folder, config=config, epoch_steps=3, kept=kept, stop=self.stop
        )
        learning.run(self.folder / "trainer.log")
        self.timings = learning.timings
        return kept


def job_of(tree: Path, resources: ResourceParams, **training: Any) -> TrainPaddleOcrRecogniserJob:
    return TrainPaddleOcrRecogniserJob(
        store="file:///none",
        snapshot="datasets/d/0",
        training=PaddleOcrRecogniserParams(**training),
        resources=resources,
        runtime=PaddleOcrRuntime(home=str(tree), python=sys.executable, tree="t", packages="p"),
    )


def test_what_the_trainer_says_becomes_events(learning: Scene) -> None:
    kept = learning.run("epoch(1, acc=None)\nepoch(2, 0.5)")

    *events, validation = read_events(learning.folder / "metrics.jsonl")
    assert validation == {"event": "validation", "step": 6, "accuracy": 0.5, "ned": 0.5}
    assert [(event["step"], event["steps"], event["loss"]) for event in events] == [
        (3, 6, 1.0),
        (6, 6, 0.5),
    ]
    assert kept.latest.with_suffix(".pdparams").read_text() == "2"
    assert learning.timings == {"images_per_s": 5.0}


def test_a_rerun_goes_on_after_the_last_epoch_and_says_no_step_twice(learning: Scene) -> None:
    with pytest.raises(
        OcrError, match=r"tools/train.py was killed by signal 9; run again to go on"
    ):
        learning.run("epoch(1)\nos.kill(os.getpid(), signal.SIGKILL)")

    learning.run("assert 'epoch-1' in Path(sys.argv[2]).read_text()\nepoch(2, step=3)")

    events = read_events(learning.folder / "metrics.jsonl")
    assert [event["step"] for event in events if event["event"] == "step"] == [3, 6]


def test_a_rerun_with_nothing_left_to_learn_knows_how_fast_it_was_learnt(learning: Scene) -> None:
    learning.run("epoch(1)\nepoch(2, 0.5)")

    learning.run("raise SystemExit(1)")

    assert learning.timings == {"images_per_s": 5.0}


def test_what_goes_on_does_not_learn_the_batches_of_the_first_epoch_again(learning: Scene) -> None:
    with pytest.raises(OcrError, match="killed by signal 9"):
        learning.run(
            "assert 'seed: 7' in Path(sys.argv[2]).read_text()\n"
            "epoch(1)\nos.kill(os.getpid(), signal.SIGKILL)"
        )

    kept = learning.run("assert 'seed: 8' in Path(sys.argv[2]).read_text()\nepoch(2, step=3)")

    assert kept.state.epoch == 2


def test_what_an_undone_epoch_gave_counts_nowhere(learning: Scene) -> None:
    with pytest.raises(OcrError, match="killed by signal 9"):
        learning.run("epoch(1)\nlearn(2, acc=0.9)\nos.kill(os.getpid(), signal.SIGKILL)")

    kept = learning.run("epoch(2, step=3, acc=0.4)")

    events = read_events(learning.folder / "metrics.jsonl")
    validations = [event for event in events if event["event"] == "validation"]
    assert [(event["step"], event["accuracy"]) for event in validations] == [(3, 0.5), (6, 0.4)]
    assert (kept.state.best, kept.state.score) == (1, 0.5)
    assert kept.weights.with_suffix(".pdparams").read_text() == "1"


def test_a_training_that_grows_no_better_ends_with_its_best_weights(learning: Scene) -> None:
    worse = "epoch(1, acc=0.0)\nepoch(2, acc=0.6)\nepoch(3, acc=0.6)\nepoch(4, acc=0.5)\n"

    kept = learning.run(f"{worse}time.sleep(600)", epochs=9, patience=2)

    assert (kept.state.epoch, kept.state.best, kept.state.score) == (4, 3, 0.6)
    assert kept.weights.with_suffix(".pdparams").read_text() == "3"
    assert learning.left() == set()
    *_, last = read_events(learning.folder / "metrics.jsonl")
    assert last["message"] == (
        "ended after epoch 4 of 9: 2 validations were no better than 0.6000 (training.patience); "
        "best weights: of epoch 3"
    )


def test_a_kill_does_not_make_it_more_patient(learning: Scene) -> None:
    with pytest.raises(OcrError, match="killed by signal 9"):
        learning.run(
            "epoch(1)\nepoch(2)\nos.kill(os.getpid(), signal.SIGKILL)", epochs=9, patience=2
        )

    kept = learning.run("epoch(3, acc=0.4)\ntime.sleep(600)", epochs=9, patience=2)

    assert (kept.state.epoch, kept.state.stale) == (3, 2)


def test_what_ended_early_does_not_learn_on_in_a_rerun(learning: Scene) -> None:
    learning.run("epoch(1)\nepoch(2)\ntime.sleep(600)", epochs=9, patience=1)

    again = learning.run("raise SystemExit(5)", epochs=9, patience=1)

    assert again.state.epoch == 2
    assert (learning.folder / "metrics.jsonl").read_text().count("ended after epoch 2 of 9") == 1


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("print('No Images in train dataset')", "ended by itself after 0 of 2 epochs; see "),
        ("epoch(1)", "ended by itself after 1 of 2 epochs"),
        ("epoch(1)\nepoch(2, acc=None)", "did not validate its last epoch, 2"),
        ("print('train dataloader has 4 iters')", "has 4 steps in an epoch, expected 3"),
        ("raise KeyError('Backbone')", "ended with status 1: KeyError: 'Backbone'; see "),
        ("epoch(1, 'nan')", "The loss is nan at step 3: lower training.learning_rate"),
    ],
)
def test_a_training_without_its_last_epoch_failed(learning: Scene, script: str, said: str) -> None:
    with pytest.raises(TrainingFailed, match=said):
        learning.run(script)


def test_a_trainer_that_only_talks_of_errors_is_ended(learning: Scene) -> None:
    hangs = "while True:\n    print('error happened with msg: RecursionError', flush=True)\n"

    with pytest.raises(
        TrainingFailed, match=r"tools/train.py made no progress for 2 s \(training.no_progr"
    ):
        learning.run(f"{hangs}    time.sleep(0.1)", timeout_s=2)

    assert learning.left() == set()


def test_what_left_the_trainers_session_ends_with_it(learning: Scene) -> None:
    own = "subprocess.Popen(['sleep', '600'], start_new_session=True)"

    learning.run(f"import subprocess\n{own}\nepoch(1)\nepoch(2)")

    assert learning.left() == set()


def test_output_without_a_line_is_bounded_and_the_log_keeps_its_end(
    learning: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_log, "MOST_BYTES", 1 << 20)

    learning.run("sys.stdout.write('x' * (5 << 20) + '\\n')\nepoch(1)\nepoch(2)")

    logs = sorted(learning.folder.glob("trainer.log*"))
    assert [log.name for log in logs] == ["trainer.log", "trainer.log.1"]
    assert all(log.stat().st_size <= 1 << 20 for log in logs)
    assert "global_step: 6" in logs[0].read_text()
    assert logs[0].read_text().startswith("(more than 1 MiB: trainer.log.1 has what was said bef")


def test_the_reason_of_an_earlier_run_is_not_that_of_a_silent_one(learning: Scene) -> None:
    with pytest.raises(TrainingFailed, match="KeyError: 'Backbone'"):
        learning.run("raise KeyError('Backbone')")

    with pytest.raises(TrainingFailed, match="ended with status 3: it said nothing"):
        learning.run("os._exit(3)", greets=False)


def test_a_wish_to_stop_ends_trainer_and_loaders_and_keeps_the_epoch(learning: Scene) -> None:
    def ask() -> None:
        while not (learning.folder / "kept/state.json").is_file():
            time.sleep(0.05)
        learning.stop.at = time.monotonic()

    Timer(0, ask).start()
    with pytest.raises(Stopped, match="run again to go on from the last whole epoch"):
        learning.run("epoch(1)\nos.fork()\ntime.sleep(600)")

    assert Kept(learning.folder).state.epoch == 1
    assert learning.left() == set()


def test_nothing_secret_reaches_the_trainer(
    learning: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINIO_SECRET_KEY", "hush-hush")

    learning.run("print(dict(os.environ))\nepoch(1)\nepoch(2)")

    said = (learning.folder / "trainer.log").read_text()
    assert "hush-hush" not in said
    assert os.environ["PATH"] in said
