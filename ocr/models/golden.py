"""The golden proof: images that a bundle keeps, what was read on them, and whether it still is.

`golden/inputs/000.png` and so on are the images. `golden/outputs.json` records of each what was
read: `text` for a recogniser, beside it `greedy`, which its forms in float32 read without the text
model; `boxes` for a detector, `lines` for a pipeline. An export writes both, a gateway reads them
before a version serves, and a deployment sends them over REST.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final

from ocr.errors import BadData, ParityFailed
from ocr.image.pixels import Image, decode_image, encode_png
from ocr.models.bundle import GOLDEN_INPUTS, GOLDEN_OUTPUTS
from ocr.models.key import NAME
from ocr.models.page_line import PageLine

TOLERANCE_PX: Final = 1.0
MAX_PIXELS: Final = 50_000_000


@dataclass(frozen=True)
class GoldenPage:
    """One golden page and the lines that the pipeline read on it, in reading order."""

    image: Path
    lines: tuple[PageLine, ...]


def write_golden(bundle: Path, golden: Sequence[tuple[Image, Mapping[str, Any]]]) -> None:
    """Write images (H, W, 3) BGR with what was read on each."""
    write_golden_inputs(bundle, (image for image, _ in golden))
    write_golden_outputs(bundle, (record for _, record in golden))


def write_golden_inputs(bundle: Path, images: Iterable[Image]) -> None:
    """Write the images alone as PNG, which keeps every pixel."""
    (bundle / GOLDEN_INPUTS).mkdir(parents=True, exist_ok=True)
    for number, image in enumerate(images):
        (bundle / GOLDEN_INPUTS / _file_name(number)).write_bytes(encode_png(image))


def write_golden_outputs(bundle: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write what was read on each image, in their order."""
    images = [{"file": _file_name(number), **record} for number, record in enumerate(records)]
    text = json.dumps({"images": images}, ensure_ascii=False, indent=1)
    (bundle / GOLDEN_OUTPUTS).write_text(text, encoding="utf-8")


def read_golden_inputs(bundle: Path) -> Iterator[Image]:
    """Yield the images in their order."""
    for path in sorted((bundle / GOLDEN_INPUTS).glob("*.png")):
        yield decode_golden(path.read_bytes())


def decode_golden(data: bytes) -> Image:
    """Decode one image, as the functions that prove something are given it."""
    return decode_image(data, max_pixels=MAX_PIXELS)


def read_golden_pages(pipeline: Path) -> list[GoldenPage]:
    """Read the golden pages of a pipeline.

    Raises:
        BadData: There are none, or they are not readable.
    """
    try:
        return [
            GoldenPage(image, tuple(PageLine.from_json(line) for line in lines))
            for image, lines in _read_records(pipeline, "lines")
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise BadData(f"{GOLDEN_OUTPUTS} is unreadable: {error!r}") from error


def prove_lines(bundle: Path, read: Callable[[Sequence[bytes]], Iterable[str]]) -> int:
    """Let the golden images of a recogniser's bundle be read, and compare every text.

    Args:
        bundle: Its folder.
        read: Returns the text of each encoded image.

    Returns:
        How many images there are.

    Raises:
        ParityFailed: A text differs; the message names the first image.
        BadData: There are no golden images, or they are not readable.
    """
    golden = _read_records(bundle, "text")
    found = read([image.read_bytes() for image, _ in golden])
    for (image, promised), text in zip(golden, found, strict=True):
        if difference := compare_texts(text, promised):
            raise ParityFailed(f"golden image {image.name} {difference}")
    return len(golden)


def prove_pages(pipeline: Path, read: Callable[[bytes], Sequence[PageLine]]) -> int:
    """Let the golden pages of a pipeline be read, and compare every line.

    Args:
        pipeline: Its folder.
        read: Returns the lines of an encoded page, in reading order.

    Returns:
        How many pages there are.

    Raises:
        ParityFailed: A line differs; the message names the first page and line.
        BadData: There are no golden pages, or they are not readable.
    """
    golden = read_golden_pages(pipeline)
    for page in golden:
        if difference := compare_lines(read(page.image.read_bytes()), page.lines):
            raise ParityFailed(f"golden page {page.image.name}: {difference}")
    return len(golden)


def compare_texts(found: str, promised: str) -> str:
    """Say in what a text differs from the promised one; empty if in nothing."""
    return "" if found == promised else f"reads {found!r} instead of {promised!r}"


def compare_lines(found: Sequence[PageLine], promised: Sequence[PageLine]) -> str:
    """Say in what lines differ from the promised ones; empty if in nothing.

    They must have the same order and texts, and their corners may be a pixel apart.
    """
    if len(found) != len(promised):
        return f"lines read: {len(found)} instead of {len(promised)}"
    for number, (here, there) in enumerate(zip(found, promised, strict=True), 1):
        if difference := compare_texts(here.text, there.text):
            return f"line {number} {difference}"
        if (distance_px := _furthest_px(here, there)) > TOLERANCE_PX:
            lies = f"lies {distance_px:.1f} px from where it was promised"
            return f"line {number} ({here.text!r}) {lies}"
    return ""


def _furthest_px(found: PageLine, promised: PageLine) -> float:
    corners = zip(
        chain.from_iterable(found.polygon), chain.from_iterable(promised.polygon), strict=True
    )
    return max(abs(here - there) for here, there in corners)


def _read_records(bundle: Path, key: str) -> list[tuple[Path, Any]]:
    """Read each golden image's path and what is recorded of it under a key."""
    try:
        content = json.loads((bundle / GOLDEN_OUTPUTS).read_text(encoding="utf-8"))
        records = [(_locate(bundle, one["file"]), one[key]) for one in content["images"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadData(f"{GOLDEN_OUTPUTS} is unreadable: {error!r}") from error
    if not records:
        raise BadData(f"{GOLDEN_OUTPUTS} names no image: nothing proves what the bundle reads")
    return records


def _locate(bundle: Path, name: str) -> Path:
    """Return the path of a golden image, which lies in the bundle whatever is said of it."""
    if not NAME.match(name):
        raise ValueError(f"{name!r} is no name of a golden image")
    return bundle / GOLDEN_INPUTS / name


def _file_name(number: int) -> str:
    return f"{number:03d}.png"
