"""Lines read by stock paddleocr beside ocrline: ``python -m bench.stock_lines --help``.

Both read what the net alone does. Prints how many texts agree, the largest difference of
confidences, and the time per image of both.
"""

import argparse
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from configs.dataset import MAX_PIXELS
from ocr.dataset.lines.labelled_lines import stream_labelled_lines
from ocr.dataset.quarantine import Rejection
from ocr.image.pixels import Image
from ocr.models.bundle import RecogniserManifest, read_recogniser_bundle
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tasks.workspace import open_workspace

MODEL_NAME = "PP-OCRv5_mobile_rec"  # any registered name; the files decide what is read

Read = Callable[[Sequence[Image]], list[Recognition]]


def main() -> None:
    """Read a label file with both; exit 1 when a text differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="plates", help="NAME, NAME@alias or NAME:version")
    parser.add_argument("--labels", type=Path, required=True, help="PaddleOCR label file")
    arguments = parser.parse_args()
    workspace = open_workspace()
    bundle = workspace.fetch_bundle(workspace.registry.resolve(arguments.model))
    rows = stream_labelled_lines(arguments.labels, max_pixels=MAX_PIXELS)
    samples = [row for row in rows if not isinstance(row, Rejection)]
    images, texts = [image for image, _ in samples], [text for _, text in samples]

    ours, our_ms = _time(OnnxRecogniser.load(bundle, plain=True).recognise, images)
    theirs, their_ms = _time(_load_stock(bundle, read_recogniser_bundle(bundle)), images)

    _print(ours, theirs, texts, our_ms=our_ms, their_ms=their_ms)
    raise SystemExit([a.text for a in ours] != [b.text for b in theirs])


def _load_stock(bundle: Path, manifest: RecogniserManifest) -> Read:
    os.environ["PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK"] = "True"  # it would ask the network
    from paddleocr import TextRecognition

    spec = manifest.input
    shape = {"input_shape": (3, spec.height_px, spec.width_px)} if spec.layout == "fixed" else {}
    model = TextRecognition(model_name=MODEL_NAME, model_dir=str(bundle / "paddle"), **shape)

    def read(images: Sequence[Image]) -> list[Recognition]:
        answers = model.predict(list(images), batch_size=32)
        return [
            Recognition(text=a["rec_text"], confidence=a["rec_score"], character_confidences=())
            for a in answers
        ]

    return read


def _time(read: Read, images: Sequence[Image]) -> tuple[list[Recognition], float]:
    read(images[:8])
    started = time.perf_counter()
    answers = read(images)
    return answers, 1000 * (time.perf_counter() - started) / len(images)


def _print(
    ours: Sequence[Recognition],
    theirs: Sequence[Recognition],
    texts: Sequence[str],
    *,
    our_ms: float,
    their_ms: float,
) -> None:
    n = len(texts)
    same = sum(a.text == b.text for a, b in zip(ours, theirs, strict=True))
    gap = max(abs(a.confidence - b.confidence) for a, b in zip(ours, theirs, strict=True))
    table = Table("reader", "exact", "ms per image", "of ours")
    for name, answers, ms in (("ocrline", ours, our_ms), ("stock paddleocr", theirs, their_ms)):
        exact = sum(answer.text == text for answer, text in zip(answers, texts, strict=True))
        table.add_row(name, f"{exact} of {n}", f"{ms:.2f}", f"{ms / our_ms:.1f}x")
    Console().print(table, f"{same} of {n} texts agree; confidences differ by at most {gap:.1e}")


if __name__ == "__main__":
    main()
