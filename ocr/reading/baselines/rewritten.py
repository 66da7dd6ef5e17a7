"""A baseline of pages whose answers are written as the labels are."""

from collections.abc import Callable
from dataclasses import replace

from ocr.image.pixels import Image
from ocr.reading.page_reader import PageReading, ReadsPages


class RewrittenPages:
    """Rewrites what another reader read, by the rule of the labels."""

    def __init__(self, reader: ReadsPages, *, rewrite: Callable[[str], str]) -> None:
        """Wrap a reader.

        Args:
            reader: What reads.
            rewrite: How the texts of the labels were rewritten.
        """
        self._reader = reader
        self._rewrite = rewrite
        self.name = reader.name

    def read(self, image: Image) -> PageReading:
        """Read a (H, W, 3) BGR page of any size."""
        reading = self._reader.read(image)
        lines = (replace(line, text=self._rewrite(line.text)) for line in reading.lines)
        return replace(reading, lines=tuple(line for line in lines if line.text))
