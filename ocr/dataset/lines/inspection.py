"""What is looked for in labelled and rendered lines."""

from typing import Protocol

from ocr.dataset.inputs import RenderedImage
from ocr.dataset.inspection import Inspector
from ocr.dataset.labels.text_rule import TextRule
from ocr.dataset.lines.copies import line_hash
from ocr.dataset.lines.label import LineLabel
from ocr.dataset.lines.limits import LineLimits
from ocr.dataset.lines.validation import find_text_fault
from ocr.models.charset import Charset

_BATCH = 256


class RenderedLine(RenderedImage, Protocol):
    """A line of text, as `ocr.synthesis` renders it."""

    @property
    def text(self) -> str:
        """What it reads."""


def line_inspector(
    *, limits: LineLimits, texts: TextRule, charset: Charset | None
) -> Inspector[RenderedLine, LineLabel, LineLabel]:
    """Look for texts that can be learnt, on images that are large enough.

    Args:
        limits: What is accepted.
        texts: How texts are written.
        charset: The only characters allowed; None: any.
    """
    return Inspector(
        limits=limits,
        batch=_BATCH,
        hash_image=line_hash,
        label_of=lambda line: LineLabel(line.text),
        rewrite=lambda label: label.written(texts),
        find_fault=lambda label: find_text_fault(label.text, limits=limits, charset=charset),
        check=lambda row, _: row.label,
    )
