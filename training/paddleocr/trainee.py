"""What the training by PaddleOCR needs of a net: all in which recogniser and detector differ."""

from pathlib import Path
from typing import Any, Protocol

from training.paddleocr.config import Config
from training.paddleocr.measured import Measured


class PaddleOcrTrainee(Protocol):
    """A recogniser or a detector to train."""

    @property
    def score(self) -> str:
        """Name of the metric that its best weights are chosen by."""

    def prepare(self) -> Config:
        """Refuse what cannot be trained, then write all that the trainer reads.

        Raises:
            OcrError: It cannot be trained so.
        """

    def check(self, measured: Measured, spec: Any) -> None:
        """Refuse what the net, which takes what `find_spec` found, could never learn.

        Raises:
            BadData: With counts.
        """

    def find_spec(self, checkpoint: Path, config: Config) -> Any:
        """Ask the exported net of a checkpoint what it takes.

        Raises:
            TrainingFailed: It cannot be read as its config says.
        """

    def finish(self, checkpoint: Path, config: Config) -> dict[str, float]:
        """Complete a checkpoint that has its forms, and return our metrics of the val split."""
