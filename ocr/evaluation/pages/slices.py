"""Parts of the labelled lines of pages that can hide behind a good average."""

from collections.abc import Iterator, Sequence

import numpy as np

from ocr.dataset.pages.region import Region
from ocr.evaluation.bootstrap import Codes, wilson
from ocr.evaluation.metrics import Values
from ocr.evaluation.pages.comparison import Found, p_value_by_sign
from ocr.evaluation.pages.report import EvaluatedPage
from ocr.evaluation.slices import (
    Mask,
    SliceReport,
    cut_lengths,
    cut_names,
    cut_thirds,
    script_of,
)
from ocr.image.rectangle import smallest_rectangle


def measure_page_slices(
    pages: Sequence[EvaluatedPage],
    *,
    lines: tuple[Found, Found | None],
    codes: Codes,
    resamples: int,
    seed: int,
) -> list[SliceReport]:
    """Measure every part that is neither empty nor everything.

    Args:
        pages: The test pages.
        lines: Which labelled lines the candidate, and which the opponent, reads; (lines,) each, in
            the order of the pages.
        codes: Group of each page, from 0.
        resamples: Of the test of each part, by document.
        seed: Its seed.
    """
    groups = np.repeat(codes, [len(page.texts()) for page in pages])
    ours, theirs = lines
    reports = []
    for kind, name, mask in _cut(pages):
        if 0 < mask.sum() < len(mask):
            changes = mask * (0.0 if theirs is None else ours.astype(float) - theirs)
            report = SliceReport(
                kind=kind,
                name=name,
                n=int(mask.sum()),
                accuracy=wilson(int(ours[mask].sum()), int(mask.sum())),
                opponent_accuracy=None if theirs is None else float(theirs[mask].mean()),
                gained=int((changes > 0).sum()),
                lost=int((changes < 0).sum()),
                p_value=p_value_by_sign(_by_group(changes, groups), resamples=resamples, seed=seed),
            )
            reports.append(report)
    return reports


def _by_group(changes: Values, groups: Codes) -> Values:
    return np.bincount(groups, weights=changes).astype(np.float64)


def _cut(pages: Sequence[EvaluatedPage]) -> Iterator[tuple[str, str, Mask]]:
    rows = [(page, page.regions[truth]) for page in pages for truth in page.texts()]
    if not rows:
        return
    texts = [region.text for _, region in rows]
    yield from cut_lengths(texts)
    yield "content", "digits and signs only", np.array([_has_no_letters(text) for text in texts])
    yield from cut_names("script", [script_of(text) for text in texts])
    heights = np.array([_height_px(region) for _, region in rows])
    yield from cut_thirds(
        "text height, pixels", heights, low="smallest third", high="largest third"
    )
    relative = heights / np.array([page.height_px for page, _ in rows])
    yield from cut_thirds(
        "text height, share of the page", relative, low="smallest third", high="largest third"
    )
    crowds = np.array([float(len(page.texts())) for page, _ in rows])
    yield from cut_thirds("lines on the page", crowds, low="fewest third", high="most third")
    sides = np.array([float(max(page.width_px, page.height_px)) for page, _ in rows])
    yield from cut_thirds("page size", sides, low="smallest third", high="largest third")
    yield from cut_names("source", [page.source for page, _ in rows])


def _has_no_letters(text: str) -> bool:
    return any(c.isdecimal() for c in text) and not any(c.isalpha() for c in text)


def _height_px(region: Region) -> float:
    """Return the shorter side of the smallest rectangle around a region."""
    return smallest_rectangle(np.array(region.polygon, dtype=np.float32))[1]
