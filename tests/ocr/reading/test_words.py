"""Where the words of a line stand, however it lies."""

import numpy as np
import pytest

from ocr.reading.recognition.ctc import Recognition, decode
from ocr.reading.words import PlacedLine, find_words
from tests.ocr.reading.written_lines import write_line

LEVEL = np.array([(100, 50), (300, 50), (300, 70), (100, 70)], np.float32)


def read(text: str, places: list[float]) -> Recognition:
    confidences = tuple(0.5 + 0.1 * at for at in range(len(text)))
    return Recognition(text, 0.9, confidences, tuple(places))


def evenly(text: str) -> Recognition:
    return read(text, [(at + 0.5) / len(text) for at in range(len(text))])


def corners(line: Recognition, box: np.ndarray, cut: np.ndarray) -> dict[str, list[list[float]]]:
    words = find_words(PlacedLine(line, box, cut))
    return {word.text: word.corners.round(1).tolist() for word in words}


def test_words_are_what_white_space_parts() -> None:
    first, second = find_words(PlacedLine(evenly("AB  CDEFGH"), LEVEL, LEVEL))

    assert (first.text, second.text) == ("AB", "CDEFGH")
    assert first.corners.tolist() == [[100, 50], [145, 50], [145, 70], [100, 70]]
    assert second.corners.tolist() == [[175, 50], [300, 50], [300, 70], [175, 70]]
    assert first.confidence == pytest.approx((0.5 + 0.6) / 2)


def test_what_was_cut_out_may_go_beyond_the_line() -> None:
    cut = np.array([(80, 46), (320, 46), (320, 74), (80, 74)], np.float32)
    shares = [(20 + 200 * (at + 0.5) / 4) / 240 for at in range(4)]

    found = corners(read("A CD", shares), LEVEL, cut)

    assert found == {
        "A": [[100, 50], [150, 50], [150, 70], [100, 70]],
        "CD": [[200, 50], [300, 50], [300, 70], [200, 70]],
    }


def test_first_and_last_word_go_to_the_ends_of_the_line() -> None:
    found = corners(read("A B", [0.3, 0.5, 0.8]), LEVEL, LEVEL)

    assert [found["A"][0], found["B"][1]] == [[100, 50], [300, 50]]


def test_words_of_an_upright_line_stand_below_each_other() -> None:
    box = np.array([(10, 0), (30, 0), (30, 200), (10, 200)], np.float32)

    found = corners(evenly("AB CD"), box, box)

    assert found == {
        "AB": [[10, 0], [30, 0], [30, 80], [10, 80]],
        "CD": [[10, 120], [30, 120], [30, 200], [10, 200]],
    }


@pytest.mark.parametrize("degrees", [-40, -10, 3, 25, 40])
def test_words_of_a_slanted_line_follow_it(degrees: float) -> None:
    turn = np.deg2rad(degrees)
    matrix = np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))])
    box = (LEVEL @ matrix + (200, 300)).astype(np.float32)

    words = find_words(write_line("AB CD", [0.1, 0.3, 0.5, 0.7, 0.9], box))

    for word, (begin, end) in zip(words, ((100, 180), (220, 300)), strict=True):
        level = [(begin, 50), (end, 50), (end, 70), (begin, 70)]
        assert np.allclose(word.corners, np.array(level) @ matrix + (200, 300), atol=0.1)


def test_a_wide_character_alone_among_narrow_ones_is_not_trimmed() -> None:
    middles = [8, 13, 18, 40, 62, 67, 72]  # of a line 20 px high: ill W ill
    text = "ill W ill"
    with_spaces = [*middles[:3], 29, middles[3], 51, *middles[4:]]

    wide = find_words(write_line(text, [x / 200 for x in with_spaces], LEVEL))[1]

    left, right = wide.corners[0, 0] - 100, wide.corners[1, 0] - 100
    assert left <= 35
    assert right >= 45


@pytest.mark.parametrize(
    ("text", "places", "ends"),
    [
        ("AB CD", [0.05, 0.10, 0.5, 0.80, 0.85], (127.5, 252.5)),  # of one and a half characters
        ("A B", [0.05, 0.5, 0.85], (119.0, 261.0)),  # of the same, each 0.6 heights wide
        ("AB CD", [0.05, 0.06, 0.5, 0.84, 0.85], (118.0, 262.0)),  # of no less than that
    ],
)
def test_a_word_goes_no_further_into_a_wide_gap_than_a_character_reaches(
    text: str, places: list[float], ends: tuple[float, float]
) -> None:
    first, second = find_words(PlacedLine(read(text, places), LEVEL, LEVEL))

    assert (first.corners[1, 0], second.corners[0, 0]) == pytest.approx(ends)


def test_where_white_space_stands_moves_no_word() -> None:
    early, late = (
        find_words(write_line("AB CD", [0.1, 0.2, space, 0.8, 0.9], LEVEL)) for space in (0.25, 0.7)
    )

    assert [word.corners.tolist() for word in early] == [word.corners.tolist() for word in late]


def test_a_text_whose_characters_have_no_places_has_no_words() -> None:
    assert find_words(PlacedLine(Recognition("AB C", 0.9, ()), LEVEL, LEVEL)) == []
    assert find_words(PlacedLine(Recognition("", 0.0, ()), LEVEL, LEVEL)) == []
    assert find_words(PlacedLine(evenly("   "), LEVEL, LEVEL)) == []


def test_a_character_stands_in_the_middle_of_its_frames() -> None:
    best = [0, 1, 1, 1, 0, 0, 2, 2, 1, 0]
    probabilities = np.eye(3)[best]

    found = decode(probabilities, "AB", image_frames=8)

    assert found.text == "ABA"
    assert found.character_places == (2.5 / 8, 7 / 8, 8.5 / 8)
    assert decode(probabilities, "AB").character_places == ()
