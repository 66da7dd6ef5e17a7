"""The bare engine, without a server: what any server can reach at most."""

from collections.abc import Sequence
from pathlib import Path

from bench.serve.load import measure
from bench.serve.peers.servers import MAX_PIXELS, Crop
from ocr.image.pixels import decode_image
from ocr.processors import count_processors
from ocr.reading.recognition.recogniser import OnnxRecogniser

BATCH = 8


def measure_bare(bundle: Path, crops: Sequence[Crop], *, seconds: float) -> float:
    """Return how many crops a second are read from JPEG to text, with a thread a processor."""
    recogniser = OnnxRecogniser.load(bundle)

    def read(number: int) -> object:
        start = number * BATCH % len(crops)
        chosen = [*crops, *crops][start : start + BATCH]
        return recogniser.recognise(
            [decode_image(crop.content, max_pixels=MAX_PIXELS) for crop in chosen]
        )

    load = measure("", [read] * count_processors(), seconds=seconds, images=BATCH)
    return len(load.latencies_ms) / load.seconds * BATCH
