"""Reads the whole val split with an exported net as our reader does, beside PaddleOCR's own acc."""

from itertools import islice
from pathlib import Path

from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.evaluation.lines.metrics import measure_lines
from training.paddleocr.checkpoint import load_net
from training.paddleocr.recognition.checkpoint import ExportedRecogniser
from training.recognition.export import LineReader

BLOCK = 256
"""Images in memory at once."""


def validate_exported(
    checkpoint: Path, spec: ExportedRecogniser, snapshot: LineSnapshot
) -> dict[str, float]:
    """Return accuracy (share read exactly) and ned of the val split."""
    net = load_net(checkpoint, onednn=True)
    reader = LineReader(spec.input, spec.charset)
    lines = snapshot.images("val")
    read: list[str] = []
    texts: list[str] = []
    while block := list(islice(lines, BLOCK)):
        outputs = reader.decode(reader.infer(net, [image for _, image in block])).outputs
        read += [output.text for output in outputs]
        texts += [sample.text for sample, _ in block]
    metrics = measure_lines(read, texts)
    return {"accuracy": metrics.accuracy, "ned": metrics.ned}
