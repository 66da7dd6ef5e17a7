"""A row whose text and image are good, before duplicates are out and splits are set."""

from typing import NamedTuple

from ocr.dataset.examination import EncodedImage
from ocr.dataset.lines.labels import LabelRow
from ocr.dataset.quarantine import Reason, Rejection


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
