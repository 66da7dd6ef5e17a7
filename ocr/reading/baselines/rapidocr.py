"""RapidOCR as a baseline: PP-OCR's weights out of a package, on any machine, without a network."""

import importlib.metadata
import importlib.util
from collections.abc import Sequence
from typing import Any, Final

import cv2
import numpy as np

from ocr.errors import BadInput
from ocr.image.pixels import Image
from ocr.models.page_line import PageLine
from ocr.reading.page_reader import PageReading
from ocr.reading.recognition.ctc import Recognition

MOST_ASPECT: Final = 16
"""The engine draws the shorter side of a page up to 736 pixels, or scales it down to none."""


class RapidOcrRecogniser:
    """The recognition model that the package rapidocr carries."""

    def __init__(self, *, threads: int = 1) -> None:
        """Load the model.

        Raises:
            BadInput: The package is not installed.
        """
        self._engine = _load_engine(threads)
        self.name = _name_engine(self._engine)

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        """Read (H, W, 3) BGR images of any size, in their order."""
        if not images:
            return []
        # Calling the engine itself would drop unsure texts and read one image at a time.
        found = self._engine.recognize_txt(list(images))
        return [
            Recognition(text=text, confidence=float(score), character_confidences=())
            for text, score in zip(found.txts, found.scores, strict=True)
        ]


class RapidOcrPages:
    """The detection and recognition models that the package rapidocr carries, on whole pages."""

    def __init__(self, *, threads: int = 1) -> None:
        """Load the models.

        Raises:
            BadInput: The package is not installed.
        """
        self._engine = _load_engine(threads)
        self.name = _name_engine(self._engine)

    def read(self, image: Image) -> PageReading:
        """Read a (H, W, 3) BGR page of any size."""
        found = self._engine(_widen(image))
        height_px, width_px = image.shape[:2]
        boxes = () if found.boxes is None else found.boxes
        stages = zip(("detect", "classify", "recognise"), found.elapse_list or (), strict=False)
        return PageReading(
            lines=tuple(
                PageLine(
                    polygon=tuple(
                        (min(float(x), float(width_px)), min(float(y), float(height_px)))
                        for x, y in box
                    ),
                    text=text,
                    confidence=float(score),
                )
                for box, text, score in zip(
                    boxes, found.txts or (), found.scores or (), strict=True
                )
            ),
            rotation=0,
            timings={stage: float(seconds) for stage, seconds in stages if seconds},
        )


def _widen(image: Image) -> Image:
    """Add white to the right of a page too narrow for the engine, or below one too flat."""
    height_px, width_px = image.shape[:2]
    below_px = max(0, -(-width_px // MOST_ASPECT) - height_px)
    right_px = max(0, -(-height_px // MOST_ASPECT) - width_px)
    if not (below_px or right_px):
        return image
    white = (255, 255, 255)
    wide = cv2.copyMakeBorder(image, 0, below_px, 0, right_px, cv2.BORDER_CONSTANT, value=white)
    return np.asarray(wide, np.uint8)


def require_rapidocr() -> None:
    """Refuse where the package is not installed.

    Raises:
        BadInput: It is not.
    """
    if importlib.util.find_spec("rapidocr") is None:
        raise BadInput("Baseline rapidocr is not installed: pip install 'ocrline[baselines]'")


def _load_engine(threads: int) -> Any:
    require_rapidocr()
    from ocr.reading.baselines.rapidocr_engine import TurnedRapidOcr

    return TurnedRapidOcr(
        params={
            "Global.log_level": "critical",
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _name_engine(engine: Any) -> str:
    version = importlib.metadata.version("rapidocr")
    return f"rapidocr {version} ({engine.cfg.Rec.ocr_version.value})"
