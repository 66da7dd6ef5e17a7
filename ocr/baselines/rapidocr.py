"""RapidOCR as a baseline: PP-OCR's weights out of a package, on any machine, without a network."""

import importlib.metadata
import importlib.util
from collections.abc import Sequence

from ocr.ctc import Recognition
from ocr.errors import BadInput
from ocr.image import Image


class RapidOcrRecogniser:
    """The recognition model that the package rapidocr carries."""

    def __init__(self, *, threads: int = 1) -> None:
        """Load the model.

        Raises:
            BadInput: The package is not installed.
        """
        if importlib.util.find_spec("rapidocr") is None:
            raise BadInput("Baseline rapidocr is not installed: pip install 'ocrline[baselines]'")
        from rapidocr import RapidOCR

        self._engine = RapidOCR(
            params={
                "Global.log_level": "critical",
                "EngineConfig.onnxruntime.intra_op_num_threads": threads,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )
        version = importlib.metadata.version("rapidocr")
        self.name = f"rapidocr {version} ({self._engine.cfg.Rec.ocr_version.value})"

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
