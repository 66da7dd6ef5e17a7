"""Pages that were read, on disk until it is known which are chosen."""

from collections.abc import Collection, Sequence
from typing import BinaryIO

import numpy as np

from ocr.dataset.pages.copies import HASH_BYTES, count_words
from ocr.proposal.page import PageSource, ProposedPage
from ocr.proposal.usefulness import TURNS, Choice, PageLooks, Turn, choose_pages


class PageShelf:
    """Takes pages one by one; their lines wait on disk."""

    def __init__(self, file: BinaryIO) -> None:
        """Start empty.

        Args:
            file: Empty, to write and to read.
        """
        self._file = file
        self._places: list[tuple[int, int]] = []
        self._sources: list[PageSource] = []
        self._doubts: list[float] = []
        self._hashes = bytearray()

    def __len__(self) -> int:
        return len(self._sources)

    def put(self, page: ProposedPage, *, page_hash: bytes) -> None:
        """Add a page and its perceptual hash."""
        content = page.to_bytes()
        self._places.append((self._file.tell(), len(content)))
        self._file.write(content)
        self._sources.append(page.source)
        self._doubts.append(page.doubt)
        self._hashes += page_hash

    def get(self, index: int) -> ProposedPage:
        """Read a page back; none is put afterwards."""
        offset, size = self._places[index]
        self._file.seek(offset)
        return ProposedPage.from_bytes(self._file.read(size), source=self._sources[index])

    def choose(
        self,
        *,
        budget: int,
        known: Collection[tuple[str, int]],
        turns: Sequence[Turn] = TURNS,
    ) -> list[Choice]:
        """Choose the pages to check, in the order to check them.

        Args:
            budget: Most pages to choose.
            known: Digest and number of pages that were proposed before.
            turns: What is chosen in turn.
        """
        texts = ([line.text for line in self.get(index).lines] for index in range(len(self)))
        hashes = np.frombuffer(bytes(self._hashes), np.uint8).reshape(-1, HASH_BYTES)
        before = [
            index
            for index, source in enumerate(self._sources)
            if (source.digest, source.number) in known
        ]
        return choose_pages(
            self._doubts,
            PageLooks(hashes, count_words(texts)),
            [source.lot for source in self._sources],
            budget=budget,
            known=before,
            turns=turns,
        )
