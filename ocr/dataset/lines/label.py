"""The label of a line: its text."""

from typing import NamedTuple

from ocr.dataset.candidate import Row
from ocr.dataset.labels.text_rule import TextRule


class LineLabel(NamedTuple):
    """What a line reads, without surrounding white space."""

    text: str

    def written(self, texts: TextRule) -> "LineLabel":
        """The label as a rule writes it."""
        return LineLabel(texts.apply(self.text))

    @property
    def shown(self) -> str:
        """What the table of rejected rows shows of it."""
        return self.text

    @property
    def stored(self) -> str:
        """How a snapshot holds it."""
        return self.text

    @property
    def held(self) -> str:
        """How a test split holds it."""
        return self.text


LineRow = Row[LineLabel]
