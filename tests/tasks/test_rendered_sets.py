"""What is rendered for a dataset, and when it counts as the same."""

import shutil
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from configs.dataset import (
    LineDatasetParams,
    LineSynthesisParams,
    PageDatasetParams,
    PageSynthesisParams,
)
from ocr.synthesis.fonts import find_fonts
from tasks.prepare_lines import render_lines
from tasks.prepare_pages import render_pages


def lines_fingerprint(*, seed: int = 1, **synthesis: Any) -> str:
    params = LineSynthesisParams(**{"count": 2, "patterns": ["[0-9]{5}"]} | synthesis)
    return render_lines(LineDatasetParams(synthesis=params, seed=seed)).fingerprint


def pages_fingerprint(*, seed: int = 1, **synthesis: Any) -> str:
    params = PageSynthesisParams(**{"count": 2, "kinds": ["meter"]} | synthesis)
    return render_pages(PageDatasetParams(synthesis=params, seed=seed)).fingerprint


@pytest.mark.parametrize(
    ("fingerprint", "other"),
    [
        (lines_fingerprint, {"patterns": ["[0-9]{4}"]}),
        (pages_fingerprint, {"kinds": ["meter", "meter"]}),
    ],
)
def test_the_fingerprint_follows_all_that_decides_what_is_rendered(
    tmp_path: Path, fingerprint: Any, other: dict[str, Any]
) -> None:
    folder = tmp_path / "fonts"
    folder.mkdir()
    font = next((font.path for font in find_fonts([]) if font.path), None)

    without_fonts = fingerprint(font_folders=[str(folder)])
    fingerprints = [
        fingerprint(),
        fingerprint(seed=2),
        fingerprint(strength=0.5),
        fingerprint(count=3),
        fingerprint(**other),
    ]
    if font is not None:
        (folder / font.name).write_bytes(font.read_bytes() + b"\0")
        fingerprints.append(fingerprint(font_folders=[str(folder)]))
        shutil.rmtree(folder)

    assert len(set(fingerprints)) == len(fingerprints)
    assert fingerprint() == fingerprints[0] == without_fonts


def test_lines_and_pages_are_rendered_one_at_a_time() -> None:
    lines = render_lines(
        LineDatasetParams(synthesis=LineSynthesisParams(count=10**6, patterns=["[0-9]{5}"]))
    )
    pages = render_pages(PageDatasetParams(synthesis=PageSynthesisParams(count=10**5)))

    assert [line.source for line in islice(lines.items, 3)] == ["synthesis:pattern"] * 3
    assert [page.source for page in islice(pages.items, 2)] == ["synthesis:invoice"] * 2


@pytest.mark.parametrize("params", [LineSynthesisParams, PageSynthesisParams])
@pytest.mark.parametrize("strength", [-1, 2.5])
def test_strength_out_of_range_is_refused(params: Any, strength: float) -> None:
    with pytest.raises(ValueError, match="strength"):
        params(strength=strength)


def test_pages_of_no_kind_are_refused() -> None:
    with pytest.raises(ValueError, match="kinds"):
        PageSynthesisParams(kinds=[])
