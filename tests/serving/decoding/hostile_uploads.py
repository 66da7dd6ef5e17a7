"""What hostile uploads to POST /v1/ocr get: ``python -m tests.serving.decoding.hostile_uploads``.

The table says how long each took, and how far the gateway and its decoders have got in memory. Of a
decoder that was killed nobody knows; its successor is shown.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from tests.ocr.image.pictures import jpeg_of_scans
from tests.serving.conftest import serving_pages
from tests.serving.decoding import hostile_files as files
from tests.serving.gateway import Gateway
from tests.serving.rest.bad_uploads import PNG, READ, describe, raw

DECODE_TIMEOUT_S = "3"
REFUSED = ("422 too_slow", "422 bad_document")

CASES: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "JPEG of 1,500 scans": (lambda: jpeg_of_scans(1500), ("413 image_too_large",)),
    "PNG of 150,000 chunks": (lambda: files.png_of_chunks(150_000), ("413 image_too_large",)),
    "PNG of texts that inflate to 470 MB": (
        lambda: files.png_of_texts(60, inflated=7_900_000),
        ("413 image_too_large",),
    ),
    "PNG with a profile of 300 MB": (
        lambda: files.png_of_profile(300_000_000),
        ("413 image_too_large",),
    ),
    "transparent PNG of 2 megapixels": (lambda: files.transparent_png(1414), ("200",)),
    "WebP of 2,000 frames": (lambda: files.animated_webp(2000), ("200",)),
    "WebP that says 16,384 x 16,384": (
        lambda: files.webp_that_says(16_384, 16_384),
        ("413 image_too_large",),
    ),
    "TIFF of 4,000 directories": (
        lambda: files.tiff_of_directories(4000),
        ("413 too_many_pages",),
    ),
    "TIFF of 1,000 tags of 700 kB each": (
        lambda: files.tiff_of_tags(1000, shared=700_000),
        ("422 bad_image",),
    ),
    "TIFF with a JPEG of 1,500 scans": (
        lambda: files.tiff_with_jpeg(1500, strips=1),
        ("422 bad_image",),
    ),
    "TIFF whose strip is 1 GB": (
        lambda: files.tiff_of_one_strip(1_000_000_000),
        ("200", "422 bad_image"),
    ),
    "PDF whose pages hold themselves": (files.pdf_of_loops, ("422 bad_document",)),
    "PDF whose drawing is 100 MB": (lambda: files.pdf_that_inflates(100_000_000), REFUSED),
    "PDF with an image of 225 megapixels": (
        lambda: files.pdf_with_image(15_000),
        ("200", *REFUSED),
    ),
    "PDF of forms in forms": (lambda: files.pdf_of_forms(12, fan=10), REFUSED),
    "PDF of tiny tiles": (files.pdf_of_pattern, REFUSED),
    "PDF of 20,000 slow glyphs": (lambda: files.pdf_of_glyphs(20_000), REFUSED),
    "PDF with a JPEG of 1,500 scans": (
        lambda: files.pdf_with_jpeg(1500),
        ("200", *REFUSED),
    ),
}


@dataclass(frozen=True)
class Outcome:
    """What one upload got, how long it took, and the peaks of memory since the start."""

    got: str
    size: int
    seconds: float
    gateway_mib: float
    decoders_mib: float


def main() -> None:
    """Print the table; exit 1 when an answer is not among the expected ones."""
    table = Table("upload", "bytes", "got", "s", "gateway MiB", "decoders MiB")
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as gateway:
        outcomes = dict(try_all(gateway))
    for case, outcome in outcomes.items():
        row = (outcome.seconds, outcome.gateway_mib, outcome.decoders_mib)
        table.add_row(case, f"{outcome.size:,}", outcome.got, *(f"{cell:.1f}" for cell in row))
    Console(width=170, markup=False).print(table)
    wrong = [case for case, found in outcomes.items() if not is_expected(case, found.got)]
    raise SystemExit(", ".join(wrong))


def serving(folder: Path, **variables: str) -> AbstractContextManager[Gateway]:
    return serving_pages(folder, OCRLINE_DECODE_TIMEOUT_S=DECODE_TIMEOUT_S, **variables)


def is_expected(case: str, got: str) -> bool:
    """Whether an answer has a status and code, or a status, that was expected."""
    return got.split(": ")[0] in CASES[case][1] or got.split()[0] in CASES[case][1]


def try_all(gateway: Gateway) -> Iterator[tuple[str, Outcome]]:
    """Send every upload to one gateway, and a good one after each."""
    process = psutil.Process(gateway.process.pid)
    for case, (make, _) in CASES.items():
        content = make()
        started = time.perf_counter()
        got = describe(raw(content)(gateway))
        seconds = time.perf_counter() - started
        gateway_mib, *decoders_mib = map(peak_mib, [process, *process.children()])
        if describe(raw(PNG)(gateway)) != READ:
            raise RuntimeError(f"the gateway does not go on after: {case}")
        yield case, Outcome(got, len(content), seconds, gateway_mib, max(decoders_mib, default=0))


def peak_mib(process: psutil.Process) -> float:
    rows = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii").splitlines()
    return next((int(row.split()[1]) / 1024 for row in rows if row.startswith("VmHWM")), 0.0)


if __name__ == "__main__":
    main()
