"""Asks an exported recogniser what it takes."""

import math
from pathlib import Path

import numpy as np

from configs.jobs import TrainPaddleOcrRecogniserJob
from ocr.errors import TrainingFailed
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from training.forms.paddle import preprocessing, read_config
from training.paddleocr.checkpoint import PADDLE, load_net
from training.paddleocr.config import Config
from training.paddleocr.recognition.checkpoint import ExportedRecogniser
from training.paddleocr.recognition.config import input_size
from training.paddleocr.recognition.data import WIDTH_STEP_PX

READ = ("DecodeImage", "RecResizeImg", "KeepKeys")
"""What our reader does with a line as well; RecResizeImg also divides by 127.5 and takes 1 away."""


def find_spec(
    job: TrainPaddleOcrRecogniserJob, checkpoint: Path, config: Config
) -> ExportedRecogniser:
    """Find what the net of a checkpoint takes and gives.

    Raises:
        TrainingFailed: It cannot be read as its config says.
    """
    charset = Charset.read(Path(config["Global"]["character_dict_path"]))
    spec = ExportedRecogniser(
        net=job.training.net,
        tree=job.runtime.tree,
        input=_find_input(checkpoint, input_size(config), classes=charset.size),
        charset=charset.characters,
    )
    _check_config(checkpoint, spec)
    return spec


def _find_input(checkpoint: Path, size: tuple[int, int], *, classes: int) -> LineSpec:
    """Run the net on two widths to learn how many columns make a frame."""
    height_px, width_px = size
    net = load_net(checkpoint, onednn=False)
    widths = (width_px, width_px + WIDTH_STEP_PX)
    frames = []
    for each in widths:
        try:
            shape = net(np.zeros((1, 3, height_px, each), dtype=np.float32)).shape
        except (RuntimeError, ValueError, OSError) as error:
            reason = str(error).strip().splitlines()[-1]
            raise TrainingFailed(
                f"The exported net reads no line of {height_px} x {each} px: {reason}"
            ) from error
        if len(shape) != 3 or shape[2] != classes:
            raise TrainingFailed(f"The net gives {shape}, expected {classes} classes per frame")
        frames.append(shape[1])
    frame_px = width_px // frames[0]
    if [math.ceil(each / frame_px) for each in widths] != frames:
        raise TrainingFailed(
            f"Lines of {widths} px give {frames} frames, expected one per {frame_px} px"
        )
    multiple_px = math.lcm(WIDTH_STEP_PX, frame_px)
    return LineSpec("line", height_px, width_px, frame_px, multiple_px, padding="seen")


def _check_config(checkpoint: Path, spec: ExportedRecogniser) -> None:
    """Compare what the exporter says of the net with what we found."""
    path = checkpoint / PADDLE
    said = read_config(path)
    steps = preprocessing(said)
    others = [each for each in steps if each not in READ and not each.endswith("LabelEncode")]
    if others or steps.get("DecodeImage", {}).get("img_mode") != "BGR":
        raise TrainingFailed(
            f"{path}/inference.yml says that lines pass {', '.join(steps)} (DecodeImage "
            f"{steps.get('DecodeImage')}), expected {', '.join(READ)} of BGR alone"
        )
    shape = steps["RecResizeImg"]["image_shape"]
    expected = [3, spec.input.height_px, spec.input.width_px]
    if shape != expected:
        raise TrainingFailed(f"{path}/inference.yml says image_shape {shape}, expected {expected}")
    characters = said["PostProcess"]["character_dict"]
    if [str(each) for each in characters] != list(spec.charset):
        raise TrainingFailed(f"{path}/inference.yml has another dictionary than the training")
