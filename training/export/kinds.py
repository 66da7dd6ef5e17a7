"""The two kinds of export: how the checkpoint of each is loaded."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from configs.jobs import ExportKind
from training.detection.export import DetectorExport, load_detector_export
from training.forms.exportable import Exportable
from training.paddleocr.checkpoint import is_exported
from training.paddleocr.detection.export import load_exported_detector
from training.paddleocr.recognition.export import load_exported_recogniser
from training.recognition.export import RecogniserExport, load_recogniser_export


def load_export(kind: ExportKind, checkpoint: Path) -> Exportable[Any]:
    """Load the checkpoint of an export job, whichever engine left it.

    Raises:
        BadData: It is damaged.
    """
    return EXPORTS[kind](checkpoint)


def _load_recogniser(checkpoint: Path) -> RecogniserExport:
    return (load_exported_recogniser if is_exported(checkpoint) else load_recogniser_export)(
        checkpoint
    )


def _load_detector(checkpoint: Path) -> DetectorExport:
    return (load_exported_detector if is_exported(checkpoint) else load_detector_export)(checkpoint)


EXPORTS: dict[ExportKind, Callable[[Path], Exportable[Any]]] = {
    "export-recogniser": _load_recogniser,
    "export-detector": _load_detector,
}
