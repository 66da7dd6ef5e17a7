"""From trained weights to both forms of a net, as PaddleOCR exports them."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from configs.jobs import TrainPaddleOcrJob
from ocr.errors import BadInput, TrainingFailed
from training.forms.static_graph import PARAMETERS
from training.loop.guards import StopRequest
from training.paddleocr.checkpoint import CONFIG, FORMS, LEGACY, WEIGHTS
from training.paddleocr.config import Config, exported, write_config
from training.paddleocr.tool.process import (
    CLASSIC_OPERATORS,
    EXPORT,
    PORTABLE_UPSAMPLING,
    TAKE_WEIGHTS,
    run_aside,
)

LOG = "exporter.log"


def export_forms(
    job: TrainPaddleOcrJob,
    checkpoint: Path,
    *,
    config: Config,
    weights: Path | None,
    stop: StopRequest,
    net: str = "",
) -> None:
    """Write into a checkpoint: weights, config and both forms.

    Args:
        job: The training.
        checkpoint: Where; beside it lies the exporter's log.
        config: Of the training.
        weights: Their file without its suffix; None: each form is of a net as it starts.
        stop: Whether SIGTERM arrived.
        net: The one of several nets that the weights are of; empty: they are of one.

    Raises:
        TrainingFailed: The exporter failed, or left no whole form.
    """
    checkpoint.mkdir()
    write_config(checkpoint / CONFIG, config)
    tools = [[PORTABLE_UPSAMPLING]]
    taken = checkpoint / WEIGHTS
    if weights:
        tools.insert(0, [TAKE_WEIGHTS, f"{weights}{taken.suffix}", str(taken), net])
    start = taken.with_suffix("") if weights else None
    for form, _ in FORMS:
        path = checkpoint.parent / f"{form}.yml"
        legacy = form == LEGACY
        if legacy:
            tools.append([CLASSIC_OPERATORS])
        write_config(path, exported(config, start, checkpoint / form, legacy=legacy))
        tools.append([EXPORT, "-c", str(path)])
    run_aside(job, tools, log=checkpoint.parent / LOG, stop=stop)
    _check_files(checkpoint)


def rehearse_export(
    job: TrainPaddleOcrJob,
    folder: Path,
    *,
    config: Config,
    stop: StopRequest,
    find_spec: Callable[[Path, Config], Any],
) -> Any:
    """Export a net before it learns: one of which no bundle can be made is refused, not trained.

    Args:
        job: The training.
        folder: For the rehearsal; it is removed.
        config: Of the training.
        stop: Whether SIGTERM arrived.
        find_spec: Asks the exported net what it takes.

    Returns:
        What it takes.

    Raises:
        BadInput: It cannot be exported, or not be read; the error says why.
    """
    shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
    try:
        export_forms(job, folder, config=config, weights=None, stop=stop)
        return find_spec(folder, config)
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
