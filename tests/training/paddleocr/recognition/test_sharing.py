"""Which lines PaddleOCR's own samplers give each of several ranks, asked of them for real."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from configs.jobs import TrainPaddleOcrRecogniserJob
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from tests.paddleocr_tree import find_runtime
from training.paddleocr.config import parted, write_config
from training.paddleocr.recognition.trainee import RecogniserTrainee
from training.paddleocr.tool.process import foreign_environment

LINES, BATCH = 48, 8
ASK = """
import json, logging, os, sys
sys.path.insert(0, sys.argv[1])
import paddle, yaml
from paddle.distributed import parallel
from ppocr.data import build_dataloader

def draw(ranks, rank):
    os.environ.update(PADDLE_TRAINERS_NUM=str(ranks), PADDLE_TRAINER_ID=str(rank))
    parallel._global_parallel_env = None
    config = yaml.safe_load(open(f"{ranks}.yml"))
    loader = build_dataloader(config, "Train", "cpu", logging.getLogger(), 0)
    batches = list(loader.batch_sampler)
    return [[int(one[2] if isinstance(one, tuple) else one) for one in each] for each in batches]

found = {ranks: [draw(ranks, rank) for rank in range(ranks)] for ranks in (1, 2, 4)}
json.dump(found, open("drawn.json", "w"))
"""
Drawn = dict[str, list[list[list[int]]]]
"""Of 1, 2 and 4 ranks: the lines of each step of each rank."""

pytestmark = pytest.mark.timeout(300)


def draw(digits: dict[str, str], folder: Path, *, net: str) -> Drawn:
    runtime = find_runtime()
    job = TrainPaddleOcrRecogniserJob(
        **digits,
        training=PaddleOcrRecogniserParams(net=net, batch_size=BATCH, width_px=160),
        resources=ResourceParams(),
        runtime=runtime,
    )
    config = RecogniserTrainee(job, folder).prepare()
    for ranks in (1, 2, 4):
        write_config(folder / f"{ranks}.yml", parted(config, ranks))
    subprocess.run(
        [runtime.python, "-c", ASK, runtime.home],
        cwd=folder,
        env=foreign_environment({"PATH": "/usr/bin:/bin"}),
        check=True,
    )
    drawn: Drawn = json.loads((folder / "drawn.json").read_bytes())
    return drawn


def test_ranks_learn_the_batches_of_one_process(digits: dict[str, str], tmp_path: Path) -> None:
    drawn = draw(digits, tmp_path, net="configs/rec/rec_mv3_none_none_ctc.yml")

    [alone] = drawn["1"]
    for ranks in drawn.values():
        steps = zip(*ranks, strict=True)
        shared = [[line for part in step for line in part] for step in steps]
        assert shared == alone
    assert len(alone) == LINES // BATCH


def test_ranks_of_a_net_of_several_scales_learn_every_line(
    digits: dict[str, str], tmp_path: Path
) -> None:
    drawn = draw(digits, tmp_path, net="pp-ocrv4-mobile")

    for ranks in drawn.values():
        seen = [Counter(line for batch in rank for line in batch) for rank in ranks]
        assert sum(len(lines) for lines in seen) == LINES  # no line is of two ranks
        assert {len(rank) for rank in ranks} == {len(drawn["1"][0])}
