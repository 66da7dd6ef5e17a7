"""CTC decoding and alignment."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.errors import BadInput
from ocr.reading.recognition.ctc import align, decode, log_likelihood

CHARACTERS = ("A", "B", " ")


def frames(*classes: int, probability: float = 0.7, count: int = 4) -> NDArray[np.float32]:
    others = (1 - probability) / (count - 1)
    matrix = np.full((len(classes), count), others, dtype=np.float32)
    matrix[np.arange(len(classes)), classes] = probability
    return matrix


@pytest.mark.parametrize(
    ("classes", "text"),
    [
        ((0, 0, 0), ""),
        ((1, 1, 0, 2), "AB"),
        ((1, 0, 1), "AA"),
        ((2, 3, 1), "B A"),
        ((1, 2, 1, 2), "ABAB"),
    ],
)
def test_repeats_merge_and_blanks_vanish(classes: tuple[int, ...], text: str) -> None:
    recognition = decode(frames(*classes), CHARACTERS)

    assert recognition.text == text
    assert len(recognition.character_confidences) == len(text)


def test_confidence_is_the_mean_of_the_first_frames_of_each_character() -> None:
    probabilities = frames(1, 1, 0, 2)
    probabilities[:, 1] = [0.9, 0.99, 0.1, 0.1]
    probabilities[3, 2] = 0.5

    recognition = decode(probabilities, CHARACTERS)

    assert recognition.character_confidences == pytest.approx((0.9, 0.5))
    assert recognition.confidence == pytest.approx(0.7)


def test_no_text_has_no_confidence() -> None:
    assert decode(frames(0, 0), CHARACTERS).confidence == 0.0


def test_alignment_finds_the_middle_of_each_run() -> None:
    log_probabilities = np.log(frames(0, 1, 1, 1, 0, 0, 1, 2, 2, 2, 2, 2, 0))

    assert align(log_probabilities, [1, 1, 2]).tolist() == [2, 6, 9]


def test_alignment_follows_the_labels_where_the_net_reads_something_else() -> None:
    log_probabilities = np.log(frames(0, 1, 0, 2, 0, 1, 0))

    assert align(log_probabilities, [1, 3, 1]).tolist() == [1, 3, 5]


@pytest.mark.parametrize("seed", range(20))
def test_alignment_is_the_best_of_all_paths(seed: int) -> None:
    rng = np.random.default_rng(seed)
    log_probabilities = np.log(rng.dirichlet(np.ones(3), size=6))
    labels = rng.integers(1, 3, size=3).tolist()

    best = max(
        (path for path in product(range(3), repeat=6) if collapse(path) == labels),
        key=lambda path: sum(log_probabilities[t, c] for t, c in enumerate(path)),
        default=None,
    )

    assert best is not None
    assert align(log_probabilities, labels).tolist() == middles(best)


@pytest.mark.parametrize(("count", "labels"), [(2, [1, 1]), (2, [1, 2, 1]), (0, [1])])
def test_too_few_frames_are_refused(count: int, labels: list[int]) -> None:
    with pytest.raises(BadInput, match=f"{count} frames cannot hold {len(labels)} characters"):
        align(np.zeros((count, 3)), labels)


def test_nothing_aligns_to_nothing() -> None:
    assert align(np.zeros((3, 3)), []).tolist() == []


def collapse(path: tuple[int, ...]) -> list[int]:
    return [c for t, c in enumerate(path) if c and (t == 0 or path[t - 1] != c)]


def middles(path: tuple[int, ...]) -> list[int]:
    runs: list[list[int]] = []
    for t, c in enumerate(path):
        if c and t and path[t - 1] == c:
            runs[-1].append(t)
        elif c:
            runs.append([t])
    return [(run[0] + run[-1]) // 2 for run in runs]


@pytest.mark.parametrize("labels", [[], [1], [1, 1], [1, 2], [2, 1, 2], [1, 1, 1]])
def test_likelihood_of_a_text_is_that_of_all_paths_which_read_it(labels: list[int]) -> None:
    noise = np.random.default_rng(0).random((4, 3))
    probabilities = noise / noise.sum(axis=1, keepdims=True)
    text = "".join("AB"[k - 1] for k in labels)
    paths = product(range(3), repeat=4)
    read = (p for p in paths if decode(np.eye(3)[list(p)], CHARACTERS).text == text)
    expected = sum(np.prod(probabilities[range(4), list(path)]) for path in read)

    found = log_likelihood(np.log(probabilities), labels)

    assert np.exp(found) == pytest.approx(expected)
