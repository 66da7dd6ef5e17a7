"""From trained weights to a checkpoint: both forms as PaddleOCR exports them, and their input."""

import math
import shutil
from pathlib import Path

import numpy as np

from configs.jobs import TrainPaddleOcrJob
from ocr.errors import BadInput, TrainingFailed
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from training.forms.paddle import preprocessing, read_config
from training.forms.predictor import Predictor
from training.forms.static_graph import PARAMETERS
from training.loop.guards import StopRequest
from training.paddleocr.checkpoint import (
    CONFIG,
    LEGACY,
    LEGACY_MODEL,
    MODEL,
    PADDLE,
    WEIGHTS,
    ExportedSpec,
    write_spec,
)
from training.paddleocr.process import EXPORT, run_tools
from training.paddleocr.recogniser_config import Config, exported, input_size, write_config

LOG = "exporter.log"
TIMEOUT_S = 600
WIDTH_STEP_PX = 16
FORMS = ((PADDLE, MODEL), (LEGACY, LEGACY_MODEL))


def export_checkpoint(
    job: TrainPaddleOcrJob,
    checkpoint: Path,
    *,
    config: Config,
    weights: Path | None,
    stop: StopRequest,
) -> ExportedSpec:
    """Write a checkpoint: weights, config, both forms, and last what the net takes.

    Args:
        job: The training.
        checkpoint: Where; beside it lies the exporter's log.
        config: Of the training.
        weights: Their file without its suffix; None: the net is as it starts.
        stop: Whether SIGTERM arrived.

    Raises:
        TrainingFailed: The exporter failed, or left what cannot be read as it says.
    """
    checkpoint.mkdir()
    if weights:
        shutil.copyfile(weights.with_suffix(".pdparams"), checkpoint / WEIGHTS)
    write_config(checkpoint / CONFIG, config)
    tools = []
    for form, _ in FORMS:
        path = checkpoint.parent / f"{form}.yml"
        legacy = form == LEGACY
        write_config(path, exported(config, weights, checkpoint / form, legacy=legacy))
        tools.append([EXPORT, "-c", str(path)])
    run_tools(
        tools,
        runtime=job.runtime,
        folder=checkpoint.parent,
        log=checkpoint.parent / LOG,
        timeout_s=TIMEOUT_S,
        stop=stop,
        listen=lambda _: False,
    )
    _check_files(checkpoint)
    charset = Charset.read(Path(config["Global"]["character_dict_path"]))
    spec = ExportedSpec(
        net=job.training.net,
        tree=job.runtime.tree,
        input=_find_input(checkpoint, input_size(config), classes=charset.size),
        charset=charset.characters,
    )
    _check_config(checkpoint, spec)
    write_spec(checkpoint, spec)
    return spec


def rehearse_export(
    job: TrainPaddleOcrJob, folder: Path, *, config: Config, stop: StopRequest
) -> None:
    """Export a net before it learns: one of which no bundle can be made is refused, not trained.

    Raises:
        BadInput: It cannot be exported, or not be read; the error says why.
    """
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
    try:
        export_checkpoint(job, folder, config=config, weights=None, stop=stop)
    except TrainingFailed as error:
        net = job.training.net
        raise BadInput(f"training.net: no bundle can be made of {net}: {error}") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check_files(checkpoint: Path) -> None:
    """Ask for files with content: an exit status of 0 says little."""
    for form, model in FORMS:
        for name in (model, PARAMETERS):
            path = checkpoint / form / name
            if not path.is_file() or not path.stat().st_size:
                log = checkpoint.parent / LOG
                raise TrainingFailed(f"PaddleOCR's exporter left no {form}/{name}; see {log}")
        # Debug names of the parameters, pickled: nobody needs them and nobody should load them.
        (checkpoint / form / f"{PARAMETERS}.info").unlink(missing_ok=True)


def _find_input(checkpoint: Path, size: tuple[int, int], *, classes: int) -> LineSpec:
    """Run the net on two widths to learn how many columns make a frame."""
    height_px, width_px = size
    net = Predictor(checkpoint / PADDLE / MODEL, checkpoint / PADDLE / PARAMETERS, onednn=False)
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


def _check_config(checkpoint: Path, spec: ExportedSpec) -> None:
    """Compare what the exporter says of the net with what we found."""
    path = checkpoint / PADDLE
    said = read_config(path)
    shape = preprocessing(said)["RecResizeImg"]["image_shape"]
    expected = [3, spec.input.height_px, spec.input.width_px]
    if shape != expected:
        raise TrainingFailed(f"{path}/inference.yml says image_shape {shape}, expected {expected}")
    characters = said["PostProcess"]["character_dict"]
    if [str(each) for each in characters] != list(spec.charset):
        raise TrainingFailed(f"{path}/inference.yml has another dictionary than the training")
