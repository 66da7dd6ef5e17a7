"""The last check before a version serves: it reads its golden images as it did at export."""

import json
from pathlib import Path

from ocr.errors import BadData, ParityFailed
from ocr.image import decode_image
from ocr.recogniser import Recogniser

MAX_PIXELS = 50_000_000


def check_golden(recogniser: Recogniser, bundle: Path) -> int:
    """Read every golden image and compare the text; return how many there were.

    Raises:
        ParityFailed: A text differs.
        BadData: The bundle has no golden images, or they are not readable.
    """
    golden = _read_outputs(bundle)
    images = [
        decode_image((bundle / "golden" / "inputs" / file).read_bytes(), max_pixels=MAX_PIXELS)
        for file, _ in golden
    ]
    for (file, text), answer in zip(golden, recogniser.recognise(images), strict=True):
        if answer.text != text:
            raise ParityFailed(
                f"golden image {file} was exported reading {text!r}, here it reads {answer.text!r}"
            )
    return len(golden)


def _read_outputs(bundle: Path) -> list[tuple[str, str]]:
    path = bundle / "golden" / "outputs.json"
    try:
        outputs = json.loads(path.read_text(encoding="utf-8"))
        golden = [(str(output["file"]), str(output["text"])) for output in outputs["images"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadData(f"golden/outputs.json is unreadable: {error!r}") from error
    if not golden:
        raise BadData("golden/outputs.json names no image: nothing proves what the bundle reads")
    return golden
