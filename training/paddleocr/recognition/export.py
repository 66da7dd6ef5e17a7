"""How a recogniser of PaddleOCR becomes a bundle: its forms were exported already."""

from pathlib import Path

from ocr.models.charset import Charset
from training.paddleocr.checkpoint import ExportedNet
from training.paddleocr.recognition.checkpoint import read_spec
from training.recognition.export import RecogniserExport


def load_exported_recogniser(checkpoint: Path) -> RecogniserExport:
    """Load a checkpoint of PaddleOCR's trainer.

    Raises:
        BadData: It is damaged.
    """
    spec = read_spec(checkpoint)
    return RecogniserExport(
        ExportedNet(checkpoint),
        spec.input,
        Charset(spec.charset),
        description=f"A text-line recogniser trained by PaddleOCR: {spec.net}",
    )
