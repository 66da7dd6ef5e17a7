"""A labelled line, and what speaks against its label."""

from dataclasses import dataclass

from ocr.dataset.split import Split


@dataclass(frozen=True, slots=True)
class LabelledCrop:
    """A line of a dataset and its label.

    Attributes:
        id: SHA-256 of the encoded image of the line, or of its page.
        image: Path of that image as written in the labels; empty for a rendered one.
        region: Number of the region on its page, from 1; 0: the image is the line.
        split: The split it belongs to.
        source: The label file it came from, or what rendered it.
        text: The label.
    """

    id: str
    image: str
    region: int
    split: Split
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Suspect:
    """A line whose label is doubted.

    Attributes:
        crop: The line.
        read: What was read; the label, where the reader learnt it but is not sure of it.
        confidence: Of that, as the reader says.
        contradiction: Logarithm of how much more probable that is to the reader than the label.
        doubt: Minus the logarithm of the label's probability.
        unknown: Characters of the label that the reader cannot read, once each.
    """

    crop: LabelledCrop
    read: str
    confidence: float
    contradiction: float
    doubt: float
    unknown: str = ""

    @property
    def suspicion(self) -> tuple[bool, float, float]:
        """How suspicious the label is, to compare: contradicted ones before those only doubted.

        What is read otherwise comes first, though the net alone would have the label: a text model
        decided, or the label has a character that the net cannot weigh.
        """
        return self.read != self.crop.text, self.contradiction, self.doubt

    @property
    def unknown_codes(self) -> str:
        """The unknown characters by code point, which tells ":" from "：": "U+003A U+5EE0"."""
        return " ".join(f"U+{ord(character):04X}" for character in self.unknown)
