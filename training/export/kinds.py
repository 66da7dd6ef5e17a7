"""The two kinds of export: which class exports which checkpoint."""

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
    """Load the checkpoint of an export job.

    Raises:
        BadData: It is damaged.
    """
    return EXPORTS[kind](checkpoint)
