"""One training by PaddleOCR's trainer: what it says becomes metrics, what it writes is kept."""

import math
import shutil
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from configs.jobs import TrainPaddleOcrJob
from ocr.errors import TrainingFailed
from training.loop.guards import StopRequest
from training.loop.progress import MetricsLog, note
from training.paddleocr.config import Config, resumed, validated, write_config
from training.paddleocr.kept import Kept
from training.paddleocr.tool.process import as_ranks, run_tools, train_command
from training.paddleocr.tool.said import (
    EpochSteps,
    Saved,
    Step,
    Validated,
    understand,
)

CONFIG = "config.yml"


class OutOfPatience(Exception):
    """Validations gave no better score for as long as the job allows."""


class Learning:
    """Runs the trainer to its end, from the start or from the last whole epoch."""

    def __init__(
        self,
        job: TrainPaddleOcrJob,
        folder: Path,
        *,
        config: Config,
        epoch_steps: int,
        kept: Kept,
        stop: StopRequest,
    ) -> None:
        """Go on from what is kept; arguments are those of the training."""
        self._job = job
        self._folder = folder
        self._config = config
        self._kept = kept
        self._stop = stop
        self._log = MetricsLog(folder, done=kept.state.step)
        self._epoch_steps = epoch_steps
        self._last = Step(kept.state.epoch, kept.state.step, 0.0, 0.0, 0.0, 0.0)
        self._score: float | None = None
        self._first_step = kept.state.step
        # As many as the lines of the log stand for.
        self._images, self._learning_s = kept.state.images, kept.state.learning_s
        self._offset: int | None = None
        self._began = self._since = time.monotonic()

    def run(self, log: Path) -> None:
        """Train until it is over, if it is not; all that the trainer says is added to a log.

        Raises:
            Stopped: SIGTERM arrived.
            TrainingFailed: It failed, hangs, left no last epoch, or its loss is no number.
        """
        epochs, state = self._job.training.epochs, self._kept.state
        if state.epoch < epochs and not self._is_out_of_patience():
            with suppress(OutOfPatience):
                self._learn(log)
        state = self._kept.state
        if self._is_out_of_patience() and state.epoch < epochs:
            note(
                self._folder,
                f"ended after epoch {state.epoch} of {epochs}: {state.stale} validations were no "
                f"better than {state.score:.4f} (training.patience); best weights: of epoch "
                f"{state.best}",
            )

    @property
    def timings(self) -> dict[str, float]:
        """Images per second, validations aside; nothing while none was learnt."""
        return {"images_per_s": self._images / self._learning_s} if self._learning_s else {}

    def _is_out_of_patience(self) -> bool:
        return 0 < self._job.training.patience <= self._kept.state.stale

    def _learn(self, log: Path) -> None:
        training = self._job.training
        config = validated(
            self._config,
            epochs=training.epochs - self._kept.state.epoch,
            every=math.ceil(training.epochs / training.evaluations),
            epoch_steps=self._epoch_steps,
        )
        if done := self._kept.state.epoch:
            config = resumed(config, self._kept.latest, epochs=done)
        shutil.rmtree(config["Global"]["save_model_dir"], ignore_errors=True)  # not kept: half done
        path = self._folder / CONFIG
        write_config(path, config)
        self._began = time.monotonic()
        run_tools(
            [train_command(self._job, path)],
            runtime=self._job.runtime,
            folder=self._folder,
            log=log,
            timeout_s=training.no_progress_timeout_s,
            limit="training.no_progress_timeout_s",
            stop=self._stop,
            listen=self._listen,
            ranks=as_ranks(self._job),
        )
        done, wanted = self._kept.state.epoch, training.epochs
        if done < wanted:  # an exit status of 0 says little
            raise TrainingFailed(
                f"PaddleOCR's trainer ended by itself after {done} of {wanted} epochs; see {log}"
            )

    def _listen(self, line: str) -> bool:
        said = understand(line)
        if isinstance(said, EpochSteps):
            self._check_steps(said.steps)
            self._since = time.monotonic()
        elif isinstance(said, Step):
            self._note_step(said)
        elif isinstance(said, Validated):
            self._score = said.score
            self._log.write("validation", step=self._last.step, **said.metrics)
        elif isinstance(said, Saved):
            self._keep(said)
            if self._is_out_of_patience():
                raise OutOfPatience
        return said is not None

    def _note_step(self, said: Step) -> None:
        first = self._first_step
        if self._offset is None:  # PaddleOCR counts from 0 again when it goes on
            self._offset = first if said.step <= first else 0
        speed = said.images_per_s * self._job.resources.ranks  # it speaks of one rank
        said = replace(said, step=said.step + self._offset, images_per_s=speed)
        if not math.isfinite(said.loss):
            off = "" if self._job.training.amp == "off" else " or switch training.amp off"
            raise TrainingFailed(
                f"The loss is {said.loss} at step {said.step}: lower training.learning_rate{off}"
            )
        self._last = said
        done = said.step - first
        seconds = time.monotonic() - self._since
        steps = self._epoch_steps * self._job.training.epochs
        if said.images > 0 and said.images_per_s > 0:
            self._images += said.images
            self._learning_s += said.images / said.images_per_s
        values: dict[str, Any] = {
            "steps": steps,
            "loss": said.loss,
            "lr": said.learning_rate,
            "images_per_s": said.images_per_s,
            "seconds_left": seconds * (steps - said.step) / max(done, 1),
        }
        self._log.write("step", step=said.step, **values)

    def _check_steps(self, found: int) -> None:
        """Refuse epochs of another length: validations would not stand at their ends."""
        if found != self._epoch_steps:
            raise TrainingFailed(
                f"PaddleOCR's trainer has {found} steps in an epoch, expected {self._epoch_steps}"
            )

    def _keep(self, said: Saved) -> None:
        score = self._score
        if score is None and said.epoch == self._job.training.epochs:
            raise TrainingFailed(
                f"PaddleOCR's trainer did not validate its last epoch, {said.epoch}"
            )
        self._kept.keep(
            said.path,
            epoch=said.epoch,
            step=said.epoch * self._epoch_steps,
            seconds=self._kept.state.seconds + time.monotonic() - self._began,
            score=score,
            images=self._images,
            learning_s=self._learning_s,
        )
        self._score = None
        self._began = time.monotonic()
