"""The parts of the labelled lines of test pages."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ocr.dataset.pages.region import Region
from ocr.evaluation.bootstrap import Resampling
from ocr.evaluation.pages.comparison import p_value_by_sign
from ocr.evaluation.pages.report import EvaluatedPage
from ocr.evaluation.ratio import Values
from ocr.evaluation.slices import (
    Part,
    SliceReport,
    cut_lengths,
    cut_names,
    cut_thirds,
    measure_parts,
    script_of,
)
from ocr.image.rectangle import smallest_rectangle


def measure_page_slices(
    pages: Sequence[EvaluatedPage],
    draws: Resampling,
    *,
    candidate: Values,
    opponent: Values | None,
) -> list[SliceReport]:
    """Measure every part that is neither empty nor everything, with a sign test by document.

    Args:
        pages: The test pages.
        draws: How pages are drawn anew.
        candidate: 1.0 where the candidate reads a labelled line, else 0.0; (lines,), in the order
            of the pages.
        opponent: The same of the opponent.
    """
    codes = np.repeat(draws.codes, [len(page.texts()) for page in pages])
    by_line = replace(draws, codes=codes)
    return measure_parts(
        _cut(pages),
        candidate=candidate,
        opponent=opponent,
        draws=by_line,
        p_value=lambda changes: p_value_by_sign(changes, by_line),
    )


def _cut(pages: Sequence[EvaluatedPage]) -> Iterator[Part]:
    rows = [(page, page.regions[truth]) for page in pages for truth in page.texts()]
    if not rows:
        return
    texts = [region.text for _, region in rows]
    yield from cut_lengths(texts)
    yield "content", "digits and signs only", np.array([_has_no_letters(text) for text in texts])
    yield from cut_names("script", [script_of(text) for text in texts])
    measures: dict[str, list[float]] = {
        "text height, pixels": [_height_px(region) for _, region in rows],
        "text height, share of the page": [
            _height_px(region) / page.height_px for page, region in rows
        ],
        "page size": [max(page.width_px, page.height_px) for page, _ in rows],
    }
    for kind, values in measures.items():
        yield from cut_thirds(kind, values, low="smallest", high="largest")
    crowds = [len(page.texts()) for page, _ in rows]
    yield from cut_thirds("lines on the page", crowds, low="fewest", high="most")
    yield from cut_names("source", [page.source for page, _ in rows])


def _has_no_letters(text: str) -> bool:
    return any(c.isdecimal() for c in text) and not any(c.isalpha() for c in text)


def _height_px(region: Region) -> float:
    """Return the shorter side of the smallest rectangle around a region."""
    return smallest_rectangle(np.array(region.polygon, dtype=np.float32))[1]
