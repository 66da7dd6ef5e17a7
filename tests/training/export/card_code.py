"""Runs the program that a recogniser's card prints, on images that no size of the net fits."""

import subprocess
import sys
from pathlib import Path
from textwrap import indent

import cv2
import numpy as np

from ocr.image.pixels import Image, encode_png
from tests.training.export.line_store import blotches


def odd_lines() -> list[Image]:
    """Return lines whose widths become whole pixels of the net by rounding alone."""
    sizes = [(40 + 29 * number, 23 + number % 5) for number in range(16)]
    return [
        np.asarray(cv2.resize(blotches(number), size), np.uint8)
        for number, size in enumerate(sizes)
    ]


def read_by_card(bundle: Path, images: list[Image], *, folder: Path) -> list[str]:
    """Return what the program for any ONNX runtime prints of each image."""
    card = (bundle / "card.md").read_text(encoding="utf-8")
    program = card.partition("Any ONNX runtime:\n\n```python\n")[2].partition("```")[0]
    program = program.replace("BUNDLE", str(bundle)).replace('"image.png"', "path")
    paths = [folder / f"{number:02}.png" for number in range(len(images))]
    for path, image in zip(paths, images, strict=True):
        path.write_bytes(encode_png(image))
    run = subprocess.run(
        [sys.executable, "-c", f"import sys\nfor path in sys.argv[1:]:\n{indent(program, '    ')}"]
        + [str(path) for path in paths],
        capture_output=True,
        check=True,
        text=True,
    )
    return run.stdout.splitlines()
