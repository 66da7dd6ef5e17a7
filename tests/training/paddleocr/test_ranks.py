"""Ranks of a training by a stand-in for PaddleOCR's trainer: told who they are, ended together."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from configs.training import ResourceParams
from ocr.errors import OcrError, TrainingFailed
from tests.training.paddleocr.test_learning import Scene, job_of
from training.job import job_digest
from training.loop.guards import Stopped
from training.paddleocr.config import parted
from training.paddleocr.tool.process import MEETING, RUN_RANKS, as_ranks

pytestmark = pytest.mark.timeout(300)

RANK = "rank = int(os.environ['PADDLE_TRAINER_ID'])\n"
BOTH = "if rank == 0:\n    epoch(1)\n    epoch(2)\n"
LAUNCHED = ("PADDLE_", "MASTER_", "FLAGS_selected", "GLOO", "CUDA_VISIBLE")
FROZEN = {"frozen": "backbone", "pretrained": "/w", "pretrained_sha256": "0" * 64}
NET = """
import paddle
from time import sleep
paddle.set_device("cpu")
paddle.distributed.init_parallel_env()
net = paddle.DataParallel(paddle.nn.Linear(2, 1))
learnt = Path("learnt")
for step in range(2):
    if step and rank == 0:
        sleep(1)
        learnt.touch()
    loss = net(paddle.ones([1, 2])).mean()
    assert not step or learnt.exists(), "a rank began a step before the first one"
    loss.backward()
"""
STATS = """
class TrainingStats:
    def update(self, stats):
        self.loss = stats["loss"]
"""
LEARN = """
import json
import paddle
from ppocr.utils.stats import TrainingStats
ranks = int(os.environ.get("PADDLE_TRAINERS_NUM", 1))
rank = int(os.environ.get("PADDLE_TRAINER_ID", 0))
paddle.set_device("cpu")
paddle.seed(0)
net = paddle.nn.Linear(3, 1)
descent = paddle.optimizer.SGD(0.1, parameters=net.parameters())
lines = paddle.arange(24, dtype="float32").reshape([8, 3]) / 24
part = slice(rank * 8 // ranks, (rank + 1) * 8 // ranks)
if ranks > 1:
    paddle.distributed.init_parallel_env()
    net = paddle.DataParallel(net)
stats, losses = TrainingStats(), []
for _ in range(6):
    loss = ((net(lines[part]).flatten() - paddle.arange(8.0)[part]) ** 2).mean()
    loss.backward()
    descent.step()
    descent.clear_grad()
    stats.update({"loss": float(loss), "lr": 0.1})
    losses.append(stats.loss)
if rank == 0:
    Path("losses.json").write_text(json.dumps(losses))
"""


@pytest.fixture
def learning(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def test_ranks_are_told_who_they_are_and_nothing_secret(
    learning: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINIO_SECRET_KEY", "hush-hush")
    tell = (
        f"told = {{key: os.environ[key] for key in os.environ if key.startswith({LAUNCHED})}}\n"
        "Path(f'rank-{rank}').write_text(repr(sorted(told.items())) + repr(dict(os.environ)))\n"
    )

    learning.run(RANK + tell + BOTH, devices=2)

    told = [(learning.folder / f"rank-{rank}").read_text() for rank in range(2)]
    for rank, said in enumerate(told):
        for key, value in {
            "PADDLE_TRAINER_ID": rank,
            "FLAGS_selected_gpus": rank,
            "PADDLE_TRAINERS_NUM": 2,
            "PADDLE_DISTRI_BACKEND": "gloo",
            "GLOO_SOCKET_IFNAME": "lo",
            "MASTER_ADDR": "127.0.0.1",
            "CUDA_VISIBLE_DEVICES": -1,
        }.items():
            assert f"('{key}', '{value}')" in said
        assert os.environ["PATH"] in said
        assert "hush-hush" not in said


def test_what_the_first_rank_says_of_its_speed_counts_for_all(learning: Scene) -> None:
    learning.run(RANK + BOTH, devices=2)

    assert learning.timings == {"images_per_s": 10.0}


def test_a_killed_rank_ends_all_and_what_they_started(learning: Scene) -> None:
    dies = "if rank == 1:\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    own = "import subprocess\nsubprocess.Popen(['sleep', '600'], start_new_session=True)\n"

    with pytest.raises(OcrError, match="killed by signal 9; run again to go on"):
        learning.run(RANK + own + dies + "time.sleep(600)", devices=2, timeout_s=200)

    assert "rank 1 was the first to fail" in (learning.folder / "trainer.log").read_text()
    assert learning.left() == set()


def test_a_wish_to_stop_ends_all_ranks(learning: Scene) -> None:
    def ask() -> None:
        while not all((learning.folder / f"here-{rank}").exists() for rank in range(2)):
            time.sleep(0.05)
        learning.stop.at = time.monotonic()

    Timer(0, ask).start()
    with pytest.raises(Stopped, match="run again to go on from the last whole epoch"):
        learning.run(RANK + "Path(f'here-{rank}').touch()\ntime.sleep(600)", devices=2)

    assert learning.left() == set()


def test_what_a_rank_fails_of_is_the_reason(learning: Scene) -> None:
    fails = "if rank == 1:\n    raise KeyError('Backbone')\n"

    with pytest.raises(TrainingFailed, match="ended with status 1: KeyError: 'Backbone'; see "):
        learning.run(RANK + fails + "time.sleep(600)", devices=2, timeout_s=200)


def test_a_rank_that_outlives_the_first_is_ended(
    tmp_path: Path,
) -> None:
    tool = tmp_path / "tool.py"
    tool.write_text("import os, time\ntime.sleep(600 * int(os.environ['PADDLE_TRAINER_ID']))\n")
    script = "import runpy, sys\nmain = runpy.run_path(sys.argv[1])['main']\n"
    script += "main.__globals__.update(AFTER_FIRST_S=1, _say_the_mean=lambda *_: None)\n"
    script += "main.__globals__['_wait_for_the_first'] = lambda *_, **__: None\n"
    script += "main(*sys.argv[2:])\n"
    meeting = tmp_path / "meeting.py"
    meeting.write_text(
        MEETING.read_text() + "\n\ndef join(rank, digest):\n    return None\n", encoding="utf-8"
    )
    job = job_of(tmp_path, ResourceParams(devices=2))

    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            script,
            str(RUN_RANKS),
            str(meeting),
            *as_ranks(job)[2:],
            str(tool),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (ended.returncode, "the first rank ended" in ended.stderr) == (1, True)


def test_no_rank_begins_a_step_before_the_first_one(learning: Scene) -> None:
    learning.run(RANK + NET + BOTH, devices=2)


@pytest.mark.parametrize(
    ("ranks", "given"), [(4, {}), (2, FROZEN), pytest.param(4, FROZEN, marks=pytest.mark.slow)]
)
def test_any_number_of_ranks_learns_and_tells_what_one_process_does(
    tmp_path: Path, ranks: int, given: dict[str, Any]
) -> None:
    curves = []
    for devices in (1, ranks):
        learning = Scene(tmp_path / str(devices))
        package = learning.tree / "ppocr/utils"
        package.mkdir(parents=True)
        (package / "stats.py").write_text(STATS)
        (learning.tree / "ppocr/modeling").mkdir()
        (learning.tree / "ppocr/modeling/architectures.py").write_text("build_model = None")
        path = f"sys.path.append({str(learning.tree)!r})\n"
        learning.run(path + LEARN + BOTH, devices=devices, timeout_s=200, **given)
        curves.append(json.loads((learning.folder / "losses.json").read_text()))

    assert curves[1] == pytest.approx(curves[0], rel=1e-4)
    assert curves[0][-1] < curves[0][0] / 2


def test_one_device_is_no_rank(tmp_path: Path) -> None:
    several = job_of(tmp_path, ResourceParams(devices=4, device="gpu"))

    assert as_ranks(job_of(tmp_path, ResourceParams())) == []
    assert as_ranks(several)[2:] == [job_digest(several), "0", "1", "4", "gpu", ""]


def test_ranks_share_a_batch() -> None:
    config = {
        "Global": {"distributed": False},
        "Train": {"loader": {"batch_size_per_card": 16}, "sampler": {"first_bs": 16}},
        "Eval": {"loader": {"batch_size_per_card": 1}},
    }

    assert parted(config, 4) == {
        "Global": {"distributed": True},
        "Train": {"loader": {"batch_size_per_card": 4}, "sampler": {"first_bs": 4}},
        "Eval": {"loader": {"batch_size_per_card": 1}},
    }
