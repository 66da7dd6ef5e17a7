"""Made-up VAT invoices of one template, read with one character of 100 wrong (ADR 0016)."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from ocr.dataset.pages.copies import HASH_BYTES, CopyRule, find_copies
from ocr.dataset.pages.region import Region
from ocr.image.turning import ROTATIONS

RULE = CopyRule(bit_share=0.2, word_share=0.9)
DIGITS = "0123456789"
HAN = "".join(map(chr, range(0x4E00, 0x4E00 + 800)))


@dataclass(frozen=True)
class Table:
    """Pages that all look alike."""

    pages: list[list[str]]

    def __len__(self) -> int:
        return len(self.pages)

    def __iter__(self) -> Iterator[Any]:
        for texts in self.pages:
            regions = [Region((), text) for text in texts]
            yield SimpleNamespace(row=SimpleNamespace(label=SimpleNamespace(regions=regions)))

    def column(self, _name: str) -> Any:
        return np.full((len(self.pages), len(ROTATIONS) * HASH_BYTES), 0x55, np.uint8)


class Template:
    """Sixty printed names, parties that come again and again, and what an invoice has alone."""

    def __init__(self, *, sellers: int, buyers: int) -> None:
        self.random = Random(0)
        self.printed = [self.draw(HAN, self.random.randint(2, 8)) for _ in range(60)]
        self.sellers = [self.party() for _ in range(sellers)]
        self.buyers = [self.party() for _ in range(buyers)]
        self.goods = [self.draw(HAN, self.random.randint(3, 8)) for _ in range(60)]

    def draw(self, characters: str, count: int) -> str:
        return "".join(self.random.choices(characters, k=count))

    def party(self) -> list[str]:
        parts = (HAN, 12), (DIGITS + "ABCDEFGH", 18), (HAN, 20), (DIGITS, 19)
        return [self.draw(*part) for part in parts]

    def invoice(self) -> list[str]:
        choose = self.random.choice
        texts = [*self.printed, *choose(self.sellers), *choose(self.buyers)]
        texts += [self.draw(DIGITS, count) for count in (12, 8, 20)]
        for _ in range(self.random.randint(1, 3)):
            texts += [choose(self.goods), *(self.draw(DIGITS, count) for count in (2, 5, 6, 5))]
        return [*texts, *(self.draw(DIGITS, 6) for _ in range(3)), self.draw(HAN[:16], 10)]

    def read(self, texts: list[str]) -> list[str]:
        """Read it with a character of 100 wrong, and a line of 12 unsure."""
        sure = [text for text in texts if self.random.random() > 1 / 12]
        return ["".join(map(self.misread, text)) for text in sure]

    def misread(self, character: str) -> str:
        wrong = DIGITS if character.isdigit() else HAN
        return self.random.choice(wrong) if self.random.random() < 0.01 else character


@pytest.mark.parametrize(("sellers", "buyers"), [(1, 1), (1, 20), (3, 20)])
@pytest.mark.parametrize("labelled", [10, 30, 300])
def test_copies_are_told_from_other_invoices(sellers: int, buyers: int, labelled: int) -> None:
    template = Template(sellers=sellers, buyers=buyers)
    known = [template.invoice() for _ in range(labelled)]
    copies = Table([template.read(texts) for texts in known])
    others = Table([template.read(template.invoice()) for _ in range(100)])

    found, taken = (
        find_copies(cast(Any, read), cast(Any, Table(known)), rule=RULE).mean()
        for read in (copies, others)
    )
    assert found >= 0.95
    assert taken <= 0.2
