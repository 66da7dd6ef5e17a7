"""How a detector of PaddleOCR becomes a bundle: its forms were exported already."""

from pathlib import Path

from training.detection.export import DetectorExport
from training.loop.checkpoint import read_json
from training.paddleocr.checkpoint import SPEC, ExportedNet
from training.paddleocr.detection.checkpoint import ExportedDetector


def load_exported_detector(checkpoint: Path) -> DetectorExport:
    """Load a checkpoint of PaddleOCR's trainer.

    Raises:
        BadData: It is damaged.
    """
    spec = read_json(checkpoint / SPEC, ExportedDetector)
    return DetectorExport(
        ExportedNet(checkpoint),
        spec.input,
        spec.boxes,
        description=f"A text detector trained by PaddleOCR: {spec.net}",
    )
