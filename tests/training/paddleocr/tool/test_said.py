"""Lines of PaddleOCR's log, as its trainer writes them."""

from pathlib import Path

import pytest

from training.paddleocr.tool.said import Busy, EpochSteps, Said, Saved, Step, Validated, understand

PREFIX = "[2026/01/02 03:04:05] ppocr INFO: "
SPEED = "avg_reader_cost: 0.1 s, avg_batch_cost: 0.8 s, avg_samples: 8.0, ips: 9.70443 samples/s"
DAY = "eta: 1 day, 2:03:04, max_mem_reserved: 12 MB, max_mem_allocated: 11 MB"

LINES: list[tuple[str, Said | None]] = [
    ("train dataloader has 37 iters", EpochSteps(37)),
    (
        f"epoch: [2/16], global_step: 41, lr: 0.000500, acc: 0.0, loss: 76.7, {SPEED}, eta: 0:05",
        Step(epoch=2, step=41, loss=76.7, learning_rate=0.0005, images=8, images_per_s=9.70443),
    ),
    (
        f"epoch: [1/1], global_step: 1, lr: 0.001, CTCLoss: 7.5, loss: 11.0, {SPEED}, {DAY}",
        Step(epoch=1, step=1, loss=11.0, learning_rate=0.001, images=8, images_per_s=9.70443),
    ),
    (
        "cur metric, acc: 0.24999875, norm_edit_dis: 0.75, fps: 59.04372705869104",
        Validated({"accuracy": 0.24999875, "ned": 0.75}),
    ),
    ("save best model is to /job/output/best_accuracy", None),
    ("save model in /job/output/latest", None),
    ("save model in /job/out put/iter_epoch_3", Saved(Path("/job/out put/iter_epoch_3"), 3)),
    (f"epoch: [1/1], global_step: 1, lr: --, loss: 1.0, {SPEED}", Busy()),
    (f"epoch: [1/1], global_step: 1, lr: 0.1, foo: 1.0, {SPEED}", Busy()),
    (
        f"epoch: [1/1], global_step: 1, lr: 1, loss: 1, {SPEED.replace('9.70443', '1.2.3')}",
        Busy(),
    ),
    ("cur metric, acc: nan, norm_edit_dis: 0.75", Busy()),
    ("cur metric, fps: inf", Busy()),
    ("best metric, acc: 0.5, is_float16: False, norm_edit_dis: 0.1, best_epoch: 1", None),
    ("train from scratch", None),
    ("When parsing line b'a.png\\tx', error happened with msg: RecursionError", None),
]


@pytest.mark.parametrize(("line", "said"), LINES, ids=[line[:30] for line, _ in LINES])
def test_a_line_is_understood(line: str, said: Said | None) -> None:
    assert understand(PREFIX + line) == said


def test_the_bar_of_a_validation_is_a_sign_of_life() -> None:
    bar = "eval model::  50%|█████     | 1/2 [00:00<00:00,  7.83it/s]"

    assert understand(bar) == Busy()


def test_a_loss_that_is_no_number_is_still_read() -> None:
    said = understand(f"{PREFIX}epoch: [1/1], global_step: 3, lr: 0.1, loss: nan, {SPEED}")

    assert isinstance(said, Step)
    assert str(said.loss) == "nan"
