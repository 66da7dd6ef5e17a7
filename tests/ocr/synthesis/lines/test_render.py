import os
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.errors import BadInput
from ocr.synthesis.fonts import find_chinese_font
from ocr.synthesis.lines.render import LineSynthesis, open_lines
from ocr.synthesis.lines.texts import Corpus

LATIN = [
    r"(TOTAL|Cash|Item): (\$|RM )[0-9]{1,4}\.[0-9]{2}",
    r"[0-9]{5,7}(\.[0-9])?",
    "20[0-9]{2}-(0[1-9]|1[0-2])-[0-2][1-9]",
]
DIGEST = """
import hashlib
from ocr.synthesis.lines.render import open_lines
lines = open_lines(patterns=[r"TEL: [0-9]{8}", r"[A-Z0-9]+", r"\\W.x"], corpus=None,
                   font_folders=[], strength=1.0, seed=3)
whole = hashlib.sha256()
for index in range(20):
    line = lines.line(index)
    whole.update(line.text.encode() + line.image.tobytes())
print(whole.hexdigest())
"""


def synthesis(
    *,
    patterns: Sequence[str] = (),
    corpus: Corpus | None = None,
    strength: float = 1.0,
    seed: int = 1,
) -> LineSynthesis:
    return open_lines(
        patterns=patterns, corpus=corpus, font_folders=[], strength=strength, seed=seed
    )


def is_flat(image: NDArray[np.uint8]) -> bool:
    """Whether nothing but the character is on the image (no plate, drum or frame)."""
    edge = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
    return bool((edge == edge[0]).all())


def test_the_line_of_an_index_does_not_depend_on_the_others() -> None:
    lines = synthesis(patterns=LATIN)
    others = synthesis(patterns=LATIN)
    streamed = [others.line(index) for index in range(8)]

    for index in (7, 0, 3):
        alone = lines.line(index)
        assert alone.text == streamed[index].text
        assert np.array_equal(alone.image, streamed[index].image)


def test_another_seed_gives_other_lines() -> None:
    first, second = (synthesis(patterns=["[0-9]{5}"], seed=seed) for seed in (1, 2))

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


@pytest.mark.parametrize("pattern", LATIN)
def test_strength_zero_gives_clean_lines(pattern: str) -> None:
    clean, photographed = (synthesis(patterns=[pattern], strength=strength) for strength in (0, 1))

    colours = [
        [len(np.unique(lines.line(index).image.reshape(-1, 3), axis=0)) for index in range(20)]
        for lines in (clean, photographed)
    ]

    assert np.median(colours[0]) < np.median(colours[1]) / 4


@pytest.mark.parametrize("strength", [0.0, 1.0, 2.0])
def test_images_are_colour_lines_of_usual_heights(strength: float) -> None:
    lines = synthesis(patterns=[*LATIN, "[A-Z]{3}[0-9]{3}"], strength=strength)

    for index in range(40):
        image = lines.line(index).image
        assert image.dtype == np.uint8
        assert image.shape[2] == 3
        assert 28 <= image.shape[0] <= 48
        assert image.std() > 2


def test_chinese_plates_are_rendered_with_a_chinese_font_or_refused_with_the_fix() -> None:
    pattern = "[京沪皖][A-HJ-NP-Z][A-HJ-NP-Z0-9]{5}"
    if find_chinese_font() is None:
        with pytest.raises(BadInput, match="fonts-wqy-zenhei"):
            synthesis(patterns=[pattern])
        return

    lines = [synthesis(patterns=[pattern]).line(index) for index in range(10)]

    assert {line.source for line in lines} == {"synthesis:pattern"}
    assert {len(line.text) for line in lines} == {7}


def test_a_character_that_no_font_has_is_refused_before_the_first_line() -> None:
    corpus = Corpus("corpus.txt", "fine\n\U00012345\n".encode())  # cuneiform

    with pytest.raises(BadInput, match=r"1 of the characters to render: \U00012345"):
        synthesis(corpus=corpus)


def test_letters_that_size_tells_apart_are_only_printed() -> None:
    lines = synthesis(patterns=["[oOsS]{6}"], strength=0)

    assert all(is_flat(lines.line(index).image) for index in range(30))
