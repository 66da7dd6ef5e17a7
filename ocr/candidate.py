"""A row whose text and image are good, before duplicates are out and splits are set."""

from typing import NamedTuple

from ocr.labels import LabelRow
from ocr.quarantine import Reason, Rejection


class EncodedImage(NamedTuple):
    """One distinct image of the spool.

    Attributes:
        id: SHA-256 of the encoded image.
        width: In pixels.
        height: In pixels.
        hash: Perceptual hash.
        suffix: File suffix of its format.
        offset: Where its bytes start in the spool.
        size: Number of its bytes.
    """

    id: str
    width: int
    height: int
    hash: bytes
    suffix: str
    offset: int
    size: int


class Candidate(NamedTuple):
    """A good row and its image."""

    row: LabelRow
    encoded: EncodedImage

    def reject(self, reason: Reason, detail: str) -> Rejection:
        """Quarantine it after all."""
        return reject_row(self.row, reason, detail)


def reject_row(row: LabelRow, reason: Reason, detail: str) -> Rejection:
    """Quarantine a row."""
    return Rejection(reason, row.where, row.image, row.text, detail)
