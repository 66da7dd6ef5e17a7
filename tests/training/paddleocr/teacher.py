"""Weights of a distillation's teacher that has learnt nothing, as a file from elsewhere has it."""

import subprocess
from pathlib import Path

import yaml

from configs.jobs import PaddleOcrRuntime
from training.paddleocr.config import Config
from training.paddleocr.distillation import alone

SAVE = """
import sys
import paddle, yaml
home, config, target = sys.argv[1:]
sys.path.insert(0, home)
from ppocr.utils import export_model
def save(_, net, **more):
    paddle.save(net.state_dict(), target)
    sys.exit()
export_model.load_model = save  # called with the net as it is built for the characters
export_model.export(yaml.safe_load(open(config)))
"""


def make_teacher(runtime: PaddleOcrRuntime, folder: Path, config: Config) -> Path:
    """Write the weights of the teacher of a whole config."""
    path, weights = folder / "teacher.yml", folder / "own.pdparams"
    path.write_text(yaml.safe_dump(alone(config, "Teacher")), encoding="utf-8")
    command = [runtime.python, "-W", "ignore", "-c", SAVE, runtime.home, str(path), str(weights)]
    subprocess.run(command, check=True, capture_output=True)
    return weights
