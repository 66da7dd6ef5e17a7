"""What bad and odd uploads to POST /v1/ocr get: ``python -m tests.serving.rest.bad_uploads``."""

import base64
import io
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import PIL.Image
from rich.console import Console
from rich.table import Table

from ocr.image.pixels import encode_png
from tests.ocr.image.documents import encrypted_pdf, image_pdf, joined_pdf, make_pdf, tiff
from tests.ocr.image.pictures import jpeg_of_scans
from tests.serving.conftest import serving_pages
from tests.serving.gateway import Gateway
from tests.serving.tiny_pipeline import draw_page

TEXTS = ["2026", "31415"]
GOOD = draw_page(TEXTS)
PNG = encode_png(GOOD)
JPEG = cv2.imencode(".jpg", GOOD, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
BASE64 = base64.b64encode(PNG).decode()
READ = "200 2026 | 31415"
ANYTHING = "200"  # white paper is a line to the tiny detector

Send = Callable[[Gateway], httpx.Response]


@dataclass(frozen=True)
class Outcome:
    """One upload: what it was, what it should have got and what it got."""

    case: str
    expected: str
    got: str

    @property
    def is_right(self) -> bool:
        """Whether the status and the code, or the texts, are the expected ones."""
        return self.got.split(": ")[0] == self.expected or (
            self.expected == ANYTHING and self.got.startswith(f"{ANYTHING} ")
        )


def raw(content: bytes, kind: str = "application/octet-stream", query: str = "") -> Send:
    headers = {"content-type": kind}
    return lambda gateway: gateway.post(f"/v1/ocr{query}", content=content, headers=headers)


def body(fields: Any) -> Send:
    return lambda gateway: gateway.post("/v1/ocr", json=fields)


def parts(*files: bytes, fields: dict[str, str] | None = None) -> Send:
    named = [("document", (f"{number}.png", file)) for number, file in enumerate(files)]
    return lambda gateway: gateway.post("/v1/ocr", files=named, data=fields)


def png_header(width: int, height: int) -> bytes:
    """A PNG of a few bytes that says how large it is."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [header, b"IDAT" + zlib.compress(b"\0" * 1000), b"IEND"]
    packed = (
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        for chunk in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def saved(kind: str, *, mode: str = "RGB", turned: int = 0, **options: Any) -> bytes:
    image = PIL.Image.fromarray(np.ascontiguousarray(np.rot90(GOOD, turned)[..., ::-1]))
    file = io.BytesIO()
    image.convert(mode).save(file, kind, **options)
    return file.getvalue()


def wide_png(dtype: type[np.uint16]) -> bytes:
    return cv2.imencode(".png", GOOD.astype(dtype) * 257)[1].tobytes()


def zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("page.png", PNG)
    return file.getvalue()


def turned_by_exif() -> bytes:
    """The page on its side, and a note that a camera held so took it."""
    exif = PIL.Image.Exif()
    exif[0x0112] = 6
    return saved("JPEG", turned=1, exif=exif, quality=95, subsampling=0)


FRAMES = [PIL.Image.fromarray(np.full_like(GOOD, shade)) for shade in (255, 128)]
SLOW = "\n".join(f"{x} 0 m {x} 9 l S" for x in range(1000)) * 20
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

CASES: dict[str, tuple[Send, str]] = {
    # refused
    "nothing": (raw(b""), "400 empty_body"),
    "PNG cut in half": (raw(PNG[: len(PNG) // 2]), "422 bad_image"),
    "JPEG cut in half": (raw(JPEG[: len(JPEG) // 2]), "422 bad_image"),
    "PNG with a damaged byte": (raw(PNG[:60] + b"\xff" + PNG[61:]), "422 bad_image"),
    "PNG of 0 x 0": (raw(png_header(0, 0)), "422 bad_image"),
    "PNG bomb, 60,000 x 60,000 in 60 bytes": (
        raw(png_header(60_000, 60_000)),
        "413 image_too_large",
    ),
    "PNG 50,000 px wide": (
        raw(encode_png(np.zeros((50, 50_000, 3), np.uint8))),
        "413 image_too_large",
    ),
    "TIFF whose second page is huge": (
        raw(tiff([GOOD, np.zeros((1500, 1500, 3), np.uint8)])),
        "413 image_too_large",
    ),
    "JPEG of 1,500 scans": (raw(jpeg_of_scans(1500)), "413 image_too_large"),
    "PNG of 40,000 x 8": (
        raw(encode_png(np.zeros((8, 40_000, 3), np.uint8))),
        "413 image_too_large",
    ),
    "?pages=1-1000": (raw(PNG, query="?pages=1-1000"), "413 too_many_pages"),
    "?pages=9 of 1": (raw(PNG, query="?pages=9"), "404 unknown_page"),
    "?pages=2,1": (raw(PNG, query="?pages=2,1"), "400 bad_query"),
    "?pages=0": (raw(PNG, query="?pages=0"), "400 bad_query"),
    "?pages=1000000": (raw(PNG, query="?pages=1000000"), "400 bad_query"),
    "TIFF of 4 pages": (raw(tiff([GOOD] * 4)), "413 too_many_pages"),
    "TIFF cut in half": (raw(tiff([GOOD] * 2)[:-200]), "422 bad_image"),
    "PDF with a password": (raw(encrypted_pdf(), "application/pdf"), "422 encrypted_pdf"),
    "PDF of 1,000 pages": (raw(make_pdf(pages=1000)), "413 too_many_pages"),
    "PDF cut in half": (raw(make_pdf()[:100]), "422 bad_document"),
    "PDF without a page": (raw(make_pdf(pages=0)), "422 bad_document"),
    "PDF in name only": (raw(b"%PDF-1.7\nhello"), "422 bad_document"),
    "text": (raw(b"hello", "image/png"), "422 bad_image"),
    "SVG with a script": (raw(SVG, "image/svg+xml"), "422 bad_image"),
    "ZIP": (raw(zipped()), "422 bad_image"),
    "type text/html": (raw(PNG, "text/html"), "415 unsupported_type"),
    "no type": (raw(PNG, ""), "415 unsupported_type"),
    "curl's default type": (
        raw(PNG, "application/x-www-form-urlencoded"),
        "415 unsupported_type",
    ),
    "3 MB where 2 are allowed": (raw(b"\0" * 3_000_000), "413 body_too_large"),
    "JSON with bad base64": (body({"document": "%%%"}), "400 bad_base64"),
    "JSON with half a base64": (body({"document": BASE64[:-3]}), "400 bad_base64"),
    "JSON without a document": (body({"model": "pages"}), "422 wrong_fields"),
    "JSON with pages = -1": (body({"document": BASE64, "pages": -1}), "422 wrong_fields"),
    "JSON with a number as document": (body({"document": 7}), "422 wrong_fields"),
    "two files": (parts(PNG, PNG), "413 too_many_images"),
    "a file and a text field": (parts(PNG, fields={"model": "pages"}), "422 wrong_fields"),
    "file of 0 bytes": (parts(b""), "422 bad_image"),
    "unknown option": (raw(PNG, query="?pagse=1"), "400 bad_query"),
    "pages = all": (raw(PNG, query="?pages=all"), "400 bad_query"),
    "unknown model": (raw(PNG, query="?model=nobody"), "404 unknown_model"),
    "another version": (raw(PNG, query="?version=p2"), "404 unknown_version"),
    "model that reads lines": (raw(PNG, query="?model=bars"), "422 wrong_task"),
    # odd, but read
    "CMYK JPEG": (raw(saved("JPEG", mode="CMYK", quality=100, subsampling=0)), READ),
    "16-bit PNG": (raw(wide_png(np.uint16)), READ),
    "transparent PNG": (raw(saved("PNG", mode="RGBA")), READ),
    "animated GIF, its first frame": (
        raw(saved("GIF", save_all=True, append_images=FRAMES, dither=0)),
        READ,
    ),
    "animated WebP, its first frame": (
        raw(saved("WEBP", lossless=True, save_all=True, append_images=FRAMES)),
        READ,
    ),
    "JPEG on its side, with EXIF": (raw(turned_by_exif()), READ),
    "JPEG called a PDF": (raw(saved("JPEG", quality=95, subsampling=0), "application/pdf"), READ),
    "page on its side": (raw(saved("PNG", turned=1)), READ),
    "PDF of 1,000 pages, ?pages=1": (
        raw(joined_pdf([image_pdf([GOOD], dpi=200), make_pdf(pages=999)]), query="?pages=1"),
        READ,
    ),
    "PDF page of 5 x 5 m": (raw(make_pdf(size_pt=(14_400, 14_400))), ANYTHING),
    "PDF page of 20,000 strokes": (raw(make_pdf(drawing=SLOW)), ANYTHING),
    "image of 1 x 1": (raw(encode_png(np.zeros((1, 1, 3), np.uint8))), ANYTHING),
}


def main() -> None:
    """Print the table; exit 1 when an answer is not the expected one."""
    table = Table("upload", "got", title="bad uploads to POST /v1/ocr")
    with tempfile.TemporaryDirectory() as folder, serving_pages(Path(folder)) as gateway:
        outcomes = list(try_all(gateway))
    for outcome in outcomes:
        table.add_row(outcome.case, outcome.got)
    console = Console(width=150, markup=False)
    console.print(table)
    console.print(f"{sum(o.is_right for o in outcomes)} of {len(outcomes)} as expected")
    raise SystemExit(not all(outcome.is_right for outcome in outcomes))


def try_all(gateway: Gateway) -> Iterator[Outcome]:
    """Send every upload to one gateway."""
    for case, (send, expected) in CASES.items():
        yield Outcome(case, expected, describe(send(gateway)))


def describe(reply: httpx.Response) -> str:
    """Put a reply in one line."""
    answer = reply.json()
    if reply.status_code == httpx.codes.OK:
        lines = [line["text"] for page in answer["pages"] for line in page["lines"]]
        return f"200 {' | '.join(lines) or 'no line'}"
    error = answer["error"]
    return f"{reply.status_code} {error['code']}: {error['message']}"


if __name__ == "__main__":
    main()
