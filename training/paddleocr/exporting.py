"""From trained weights to both forms of a net, as PaddleOCR exports them."""

from collections.abc import Sequence
from pathlib import Path

from configs.jobs import TrainPaddleOcrJob
from ocr.errors import TrainingFailed
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
    first: Sequence[Sequence[str]] = (),
) -> None:
    """Write into a checkpoint: weights, config and both forms.

    Args:
        job: The training.
        checkpoint: Where; beside it lies the exporter's log.
        config: Of the training.
        weights: Their file without its suffix; None: each form is of a net as it starts.
        stop: Whether SIGTERM arrived.
        net: The one of several nets that the weights are of; empty: they are of one.
        first: Tools that run before, in the same process: to begin one takes seconds.

    Raises:
        TrainingFailed: The exporter failed, or left no whole form.
    """
    checkpoint.mkdir()
    write_config(checkpoint / CONFIG, config)
    tools = [*first]
    taken = checkpoint / WEIGHTS
    if weights:
        tools.append([TAKE_WEIGHTS, f"{weights}{taken.suffix}", str(taken), net])
    tools.append([PORTABLE_UPSAMPLING])
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
