"""Stock PaddleOCR as a baseline, in a process of its own: Paddle stays in the training room."""

import json
import subprocess
import sys
import weakref
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Timer
from typing import IO, Any

from ocr.errors import BadInput
from ocr.image.pixels import Image, encode_png
from ocr.reading.recognition.ctc import Recognition


class StockPaddleRecogniser:
    """``paddleocr.TextRecognition`` behind a pipe (training/stock_paddleocr.py)."""

    def __init__(
        self,
        *,
        model_name: str = "PP-OCRv5_mobile_rec",
        model_dir: str = "",
        timeout_s: float = 600,
    ) -> None:
        """Start the process and wait until it can read.

        Args:
            model_name: PaddleOCR's name of the model.
            model_dir: Folder of its exported files; empty: PaddleOCR fetches them on first use.
            timeout_s: Most seconds for start and download, and for each batch.

        Raises:
            BadInput: It cannot start: PaddleOCR is missing or its weights cannot be had.
        """
        self.name = f"paddleocr {model_name}"
        self._timeout_s = timeout_s
        self._log = TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-m", "training.stock_paddleocr", model_name, model_dir],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            encoding="utf-8",
        )
        self.close = weakref.finalize(self, _stop, self._process, self._log)
        """Ends the process; also called when the recogniser is forgotten."""
        self._receive()

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        """Read (H, W, 3) BGR images of any size, in their order.

        Raises:
            BadInput: The process ended or hangs.
        """
        if not images:
            return []
        with TemporaryDirectory() as folder:
            for number, image in enumerate(images):
                path = Path(folder) / f"{number:06}.png"
                path.write_bytes(encode_png(image))
            answer = self._ask(folder)
        return [
            Recognition(text=text, confidence=float(score), character_confidences=())
            for text, score in answer
        ]

    def _ask(self, folder: str) -> Any:
        stdin = self._process.stdin
        try:
            if stdin is not None:
                stdin.write(f"{folder}\n")
                stdin.flush()
        except BrokenPipeError:
            pass  # The reason is in the log that _receive reads.
        return self._receive()

    def _receive(self) -> Any:
        watchdog = Timer(self._timeout_s, self._process.kill)
        watchdog.start()
        try:
            line = self._process.stdout.readline() if self._process.stdout else ""
        finally:
            watchdog.cancel()
        if not line:
            raise BadInput(self._explain())
        return json.loads(line)

    def _explain(self) -> str:
        self._process.wait()
        self._log.seek(0)
        lines = self._log.read().decode("utf-8", errors="replace").strip().splitlines()
        reason = lines[-1] if lines else f"no answer within {self._timeout_s:g} s"
        self.close()
        return (
            f"Baseline {self.name} cannot read: {reason}. It needs ocrline[training,baselines] and "
            "its weights, from the network or in a local folder; rapidocr carries its own"
        )


def _stop(process: "subprocess.Popen[str]", log: IO[bytes]) -> None:
    process.kill()
    process.communicate()
    log.close()
