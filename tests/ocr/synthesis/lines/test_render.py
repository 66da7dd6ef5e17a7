import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.errors import BadInput
from ocr.synthesis import Synthesis, find_cjk_font, open_synthesis, render_lines
from ocr.synthesis.lines.templates import Kind

LATIN_KINDS: list[Kind] = ["invoice", "meter", "date"]
DIGEST = """
import hashlib
from ocr.synthesis import render_lines
lines = render_lines(count=20, kinds=["invoice"], patterns=[r"[A-Z0-9]+", r"\\W.x"], corpus=None,
                     font_folders=[], strength=1.0, seed=3)
whole = hashlib.sha256()
for line in lines:
    whole.update(line.text.encode() + line.image.tobytes() + line.centres_px.tobytes())
print(whole.hexdigest())
"""


def synthesis(
    *,
    kinds: list[Kind] | None = None,
    patterns: list[str] | None = None,
    strength: float = 1.0,
    seed: int = 1,
) -> Synthesis:
    return open_synthesis(
        kinds=kinds or [],
        patterns=patterns or [],
        corpus=None,
        font_folders=[],
        strength=strength,
        seed=seed,
    )


def ink_distance(image: NDArray[np.uint8], centre: NDArray[np.float32]) -> float:
    """How far the middle of what differs from the corner's colour is from a centre, pixels."""
    difference = np.abs(image.astype(int) - image[0, 0]).sum(axis=2)
    rows, columns = np.nonzero(difference > difference.max() / 2)
    middle = ((columns.min() + columns.max()) / 2, (rows.min() + rows.max()) / 2)
    return float(np.hypot(*(np.array(middle) - (centre - 0.5))))


@pytest.mark.parametrize("character", ["A", "8", "W", "-", ".", "j", '"', "@"])
def test_the_centre_is_the_middle_of_the_ink(tmp_path: Path, character: str) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text(character, encoding="utf-8")
    lines = render_lines(
        count=20, kinds=[], patterns=[], corpus=corpus, font_folders=[], strength=0, seed=1
    )

    distances = [ink_distance(line.image, line.centres_px[0]) for line in lines]

    assert max(distances) < 1.5


def is_flat(image: NDArray[np.uint8]) -> bool:
    """Whether nothing but the character is on the image (no plate, drum or frame)."""
    edge = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
    return bool((edge == edge[0]).all())


@pytest.mark.parametrize("kind", LATIN_KINDS)
@pytest.mark.parametrize("strength", [0.0, 1.0, 2.0])
def test_centres_lie_on_the_image_from_left_to_right(kind: Kind, strength: float) -> None:
    lines = synthesis(kinds=[kind], strength=strength)

    for index in range(60):
        line = lines.line(index)
        height, width = line.image.shape[:2]
        assert line.centres_px.shape == (len(line.text), 2)
        assert (np.diff(line.centres_px[:, 0]) > 0).all()
        assert ((line.centres_px > 0) & (line.centres_px < (width, height))).all()


def test_the_line_of_an_index_does_not_depend_on_the_others() -> None:
    lines = synthesis(kinds=LATIN_KINDS)
    streamed = list(
        render_lines(
            count=8,
            kinds=LATIN_KINDS,
            patterns=[],
            corpus=None,
            font_folders=[],
            strength=1.0,
            seed=1,
        )
    )

    for index in (7, 0, 3):
        alone = lines.line(index)
        assert alone.text == streamed[index].text
        assert np.array_equal(alone.image, streamed[index].image)
        assert np.array_equal(alone.centres_px, streamed[index].centres_px)


def test_another_seed_gives_other_lines() -> None:
    first, second = (synthesis(kinds=["meter"], seed=seed) for seed in (1, 2))

    same = sum(first.line(index).text == second.line(index).text for index in range(50))

    assert same < 3


def test_another_process_gives_the_same_lines() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }

    assert len(digests) == 1


@pytest.mark.parametrize("kind", LATIN_KINDS)
def test_strength_zero_gives_clean_lines(kind: Kind) -> None:
    clean, photographed = (synthesis(kinds=[kind], strength=strength) for strength in (0, 1))

    colours = [
        [len(np.unique(lines.line(index).image.reshape(-1, 3), axis=0)) for index in range(20)]
        for lines in (clean, photographed)
    ]

    assert np.median(colours[0]) < np.median(colours[1]) / 4


@pytest.mark.parametrize("strength", [0.0, 1.0, 2.0])
def test_images_are_colour_lines_of_usual_heights(strength: float) -> None:
    lines = synthesis(kinds=LATIN_KINDS, patterns=["[A-Z]{3}[0-9]{3}"], strength=strength)

    for index in range(40):
        image = lines.line(index).image
        assert image.dtype == np.uint8
        assert image.shape[2] == 3
        assert 28 <= image.shape[0] <= 48
        assert image.std() > 2


def test_plates_are_rendered_with_a_chinese_font_or_refused_with_the_fix() -> None:
    if find_cjk_font() is None:
        with pytest.raises(BadInput, match="fonts-wqy-zenhei"):
            synthesis(kinds=["plate"])
        return

    lines = [synthesis(kinds=["plate"]).line(index) for index in range(10)]

    assert {line.source for line in lines} == {"synthesis:plate"}
    assert {len(line.text) for line in lines} <= {7, 8}


def test_a_character_that_no_font_has_is_refused_before_the_first_line(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("fine\n\U00012345\n", encoding="utf-8")  # cuneiform

    with pytest.raises(BadInput, match=r"1 of the characters to render: \U00012345"):
        render_lines(
            count=1,
            kinds=[],
            patterns=[],
            corpus=corpus,
            font_folders=[],
            strength=1.0,
            seed=0,
        )


def test_lines_are_made_one_at_a_time() -> None:
    lines = render_lines(
        count=10**9,
        kinds=["meter"],
        patterns=[],
        corpus=None,
        font_folders=[],
        strength=0.5,
        seed=0,
    )

    assert len(list(islice(lines, 3))) == 3


def test_letters_that_size_tells_apart_are_only_printed() -> None:
    lines = synthesis(patterns=["[oOsS]{6}"], strength=0)

    assert all(is_flat(lines.line(index).image) for index in range(30))


def test_strength_out_of_range_is_refused() -> None:
    with pytest.raises(BadInput, match=r"strength is 2\.5"):
        synthesis(kinds=["meter"], strength=2.5)
