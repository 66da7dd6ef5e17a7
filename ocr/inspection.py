"""Looks at every row once: read, hash, decode, judge, spool."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Protocol

from ocr.candidate import Candidate, EncodedImage, reject_row
from ocr.charset import Charset
from ocr.image import BadImage, Image, decode_image, encode_jpeg, image_suffix
from ocr.image_folder import ImageFolder
from ocr.labels import LabelRow
from ocr.perceptual_hash import perceptual_hash
from ocr.quarantine import Rejection
from ocr.sample import Split
from ocr.spool import Spool
from ocr.validation import Limits, find_size_fault, find_text_fault


class RenderedLine(Protocol):
    """A text line made by the line itself, as `ocr.synthesis` renders them."""

    @property
    def image(self) -> Image:
        """Pixels (H, W, 3), BGR."""

    @property
    def text(self) -> str:
        """What it reads."""

    @property
    def source(self) -> str:
        """What rendered it."""


class Inspector:
    """Turns rows into candidates or rejections; equal images are decoded and spooled once."""

    def __init__(self, *, limits: Limits, charset: Charset | None, spool: Spool) -> None:
        self._limits = limits
        self._charset = charset
        self._spool = spool
        self._known: dict[str, EncodedImage] = {}

    def inspect_rows(
        self, rows: Iterable[LabelRow | Rejection], folder: ImageFolder
    ) -> Iterator[Candidate | Rejection]:
        """Inspect label rows in their order; what a reader rejected already passes through."""
        for row in rows:
            yield row if isinstance(row, Rejection) else self._inspect_row(row, folder)

    def inspect_rendered(
        self, lines: Iterable[RenderedLine], *, split: Split | None
    ) -> Iterator[Candidate | Rejection]:
        """Inspect rendered lines, stored as JPEG."""
        for number, line in enumerate(lines, start=1):
            row = LabelRow("", line.text, split, "", line.source, f"{line.source}:{number}")
            fault = find_text_fault(line.text, limits=self._limits, charset=self._charset)
            if fault is None:
                yield self._judge(row, encode_jpeg(line.image), line.image)
            else:
                yield reject_row(row, *fault)

    def _inspect_row(self, row: LabelRow, folder: ImageFolder) -> Candidate | Rejection:
        fault = find_text_fault(row.text, limits=self._limits, charset=self._charset)
        if fault is not None:
            return reject_row(row, *fault)
        try:
            data = folder.read(row.image, max_bytes=self._limits.max_bytes)
            return self._judge(row, data, None)
        except BadImage as error:
            return reject_row(row, error.reason, str(error))

    def _judge(self, row: LabelRow, data: bytes, image: Image | None) -> Candidate | Rejection:
        digest = hashlib.sha256(data).hexdigest()
        known = self._known.get(digest)
        if known is not None:
            return Candidate(row, known)
        if image is None:
            image = decode_image(data, max_pixels=self._limits.max_pixels)
        fault = find_size_fault(image, limits=self._limits)
        if fault is not None:
            return reject_row(row, *fault)
        encoded = EncodedImage(
            id=digest,
            width=image.shape[1],
            height=image.shape[0],
            hash=perceptual_hash(image),
            suffix=image_suffix(data),
            offset=self._spool.append(data),
            size=len(data),
        )
        self._known[digest] = encoded
        return Candidate(row, encoded)
