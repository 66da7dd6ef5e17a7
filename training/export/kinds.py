"""Which task's checkpoint an export job exports."""

from pathlib import Path
from typing import Any

from configs.jobs import ExportKind
from training.detection.export import DetectorExport
from training.forms.exportable import Exportable
from training.recognition.export import RecogniserExport

EXPORTS: dict[ExportKind, type[RecogniserExport] | type[DetectorExport]] = {
    "export-recogniser": RecogniserExport,
    "export-detector": DetectorExport,
}


def load_export(kind: ExportKind, checkpoint: Path) -> Exportable[Any]:
    """Load a checkpoint.

    Raises:
        BadData: It is damaged.
    """
    return EXPORTS[kind](checkpoint)
