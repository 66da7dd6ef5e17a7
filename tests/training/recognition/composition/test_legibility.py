import numpy as np
from numpy.typing import NDArray

from tests.training.recognition.composition.drawing import glyph
from training.recognition.composition.legibility import read_by_likeness


def matte_of(character: str, *, shift_px: int = 0) -> NDArray[np.float32]:
    return np.roll(glyph(character), shift_px, axis=1)


def test_characters_in_their_places_are_read_right() -> None:
    characters = list("0123456789" * 4)

    right = read_by_likeness([matte_of(c) for c in characters], characters)

    assert right.tolist() == [1.0] * 40


def test_characters_cut_anywhere_are_not_read() -> None:
    rng = np.random.default_rng(0)
    characters = list("0123456789" * 6)

    right = read_by_likeness(
        [matte_of(c, shift_px=int(rng.integers(-11, 11))) for c in characters], characters
    )

    assert right.mean() < 0.6


def test_characters_seen_too_seldom_are_left_out() -> None:
    characters = list("000111229")

    right = read_by_likeness([matte_of(c) for c in characters], characters)

    assert np.isnan(right).tolist() == [False] * 6 + [True] * 3


def test_one_kind_alone_proves_nothing() -> None:
    assert np.isnan(read_by_likeness([matte_of("7")] * 5, list("77777"))).all()
