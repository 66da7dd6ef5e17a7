"""Composition in a training: from its own alignment, and again after a kill."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import paddle
import pytest

from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from tests.training.recognition.composition.drawing import (
    SIZE_PX,
    draw_counters,
    random_numbers,
)
from tests.training.recognition.toy_lines import (
    make_line_snapshot,
    random_texts,
    write_recogniser_job,
)
from tests.training.running import ROOT, assert_same_weights, curve, reached, run
from training.loop.progress import read_events
from training.recognition.composing import draw_preview, find_centres
from training.recognition.composition import CropComposer
from training.recognition.samples import Line, collect_crops

OPTIONS: dict[str, Any] = {
    "epochs": 3,
    "evaluations": 2,
    "checkpoint_every_s": 0.01,
    "composition": {"enabled": True, "start_share": 0.5},
}

# A toy net learns to align in minutes; here it knows where cv2 drew the digits.
ALIGNED_TRAINING = """
import sys
import numpy as np
from training.recognition import composing
from training.__main__ import main
from training.environment import prepare_environment
prepare_environment()
digits = (9.5 + 11 * np.arange(4)) * 64 / 62
composing.find_centres = lambda net, crops, *, indexes, spec: [digits for _ in indexes]
sys.exit(main(["train-recogniser", sys.argv[1]]))
"""


@pytest.mark.slow
def test_a_training_killed_while_it_composes_ends_with_the_same_curve(
    many_digits: dict[str, str], tmp_path: Path
) -> None:
    whole = write_recogniser_job(tmp_path / "whole", many_digits, **OPTIONS)
    broken = write_recogniser_job(tmp_path / "broken", many_digits, **OPTIONS)

    with start_aligned(broken) as process:
        while process.poll() is None and not reached(broken.parent / "metrics.jsonl", 60):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    codes = [run_aligned(job) for job in (whole, broken)]

    assert (codes, process.returncode) == ([0, 0], -signal.SIGKILL)
    assert notices(whole.parent) == []
    assert (tmp_path / "whole" / "composition.png").stat().st_size > 1000
    assert curve(tmp_path / "broken") == curve(tmp_path / "whole")
    assert_same_weights(tmp_path / "broken", tmp_path / "whole")


def test_crops_without_a_layout_train_without_composition(tmp_path: Path) -> None:
    counts = {"train": 24, "val": 4, "test": 4}
    texts = {s: random_texts(n, lengths=(1, 6), seed=n) for s, n in counts.items()}
    snapshot = make_line_snapshot(tmp_path / "data", texts=texts)

    code, errors = run(write_recogniser_job(tmp_path / "job", snapshot, **OPTIONS))

    assert code == 0, errors
    assert notices(tmp_path / "job")[0].startswith("No composition: ")
    assert not (tmp_path / "job" / "composition.npz").exists()


def test_centres_are_in_pixels_of_the_input() -> None:
    spec = LineSpec("fixed", 32, 128)
    image = np.zeros((16, 64, 3), np.uint8)
    crops = collect_crops(
        [Line("12", image)] * 3, split="train", charset=Charset(("1", "2")), spec=spec
    )

    def net(images: Any) -> Any:
        """Sees 1 in frame 4 and 2 in frame 20, of 32."""
        classes = np.zeros((len(images), 32), np.int64)
        classes[:, 4], classes[:, 20] = 1, 2
        return paddle.to_tensor(np.eye(3, dtype=np.float32)[classes])

    centres_px = find_centres(net, crops, indexes=np.arange(3), spec=spec)

    np.testing.assert_allclose(centres_px, [[18, 82]] * 3)


def test_preview_is_a_grid_of_labelled_and_composed_crops() -> None:
    crops = draw_counters(random_numbers(20))
    composer = CropComposer.build(crops.images, crops.texts, crops.rough_px)

    grid = draw_preview(composer, crops.images, np.random.default_rng(0))

    width_px, height_px = SIZE_PX
    assert grid.shape == (12 * height_px, 8 * width_px, 3)
    assert any(np.array_equal(grid[:height_px, :width_px], image) for image in crops.images)
    assert not np.array_equal(grid[:, :width_px], grid[:, width_px : 2 * width_px])


def start_aligned(job: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", ALIGNED_TRAINING, str(job)], cwd=ROOT)


def run_aligned(job: Path) -> int:
    with start_aligned(job) as process:
        return process.wait(timeout=400)


def notices(folder: Path) -> list[str]:
    events = read_events(folder / "metrics.jsonl")
    return [event["message"] for event in events if event["event"] == "notice"]
