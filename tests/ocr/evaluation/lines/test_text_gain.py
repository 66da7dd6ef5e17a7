"""The gain of a text model: measured on documents it was not weighed on."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ocr.evaluation.bootstrap import Interval
from ocr.evaluation.lines.text_gain import ReadLine, TextGain, measure_text_gain
from ocr.models.charset import Charset
from ocr.models.text_model import TextModel, count_ngrams

CHARSET = Charset(("A", "B", "C", "D"))
WORDS = ("ABBA", "CDAB", "DACA", "BDAC")


def read(text: str, *, group: str, rng: np.random.Generator) -> ReadLine:
    """A line of whose characters the net doubts a third, as much as it should."""
    frames = []
    for k in CHARSET.encode(text):
        frame = np.full(CHARSET.size, 0.001)
        share = rng.choice([0.6, 0.99], p=[0.3, 0.7])
        right = share if rng.random() < share else 1 - share
        frame[[k, 1 + k % 4]] = right, 1 - right
        frames += [frame, np.eye(CHARSET.size)[0]]
    return ReadLine(text, group, np.array(frames, dtype=np.float32))


def measure(
    texts: Callable[[np.random.Generator], str], *, groups: int = 40, gap: str = ""
) -> TextGain:
    rng = np.random.default_rng(1)
    trained = [texts(rng) for _ in range(300)]
    lines = [read(texts(rng), group=f"page {n % groups}", rng=rng) for n in range(160)]
    lines = [replace(line, text=line.text[:2] + gap + line.text[2:]) for line in lines]
    model = TextModel(*count_ngrams(trained, CHARSET), weight=0.0)
    return measure_text_gain(model, lines, CHARSET, seed=0)


def word(rng: np.random.Generator) -> str:
    return str(rng.choice(WORDS))


def noise(rng: np.random.Generator) -> str:
    return "".join(rng.choice(CHARSET.characters, 4))


def test_texts_that_come_again_pay() -> None:
    gain = measure(word)

    assert gain.pays
    assert gain.change.lower > 0.2
    assert gain.accuracy + gain.change.value > 0.9
    assert gain.model.weight > 0
    assert len(gain.changed) >= 160 * gain.change.value


def test_a_line_that_is_right_but_for_its_spaces_counts_half() -> None:
    whole, spaced = measure(word), measure(word, gap=" ")

    assert spaced.change.value == 0.0
    assert spaced.score_change.value == whole.score_change.value / 2
    assert spaced.pays


def test_texts_that_teach_nothing_do_not_pay() -> None:
    gain = measure(noise)

    assert not gain.pays
    assert abs(gain.change.value) < 0.1


@pytest.mark.parametrize(
    ("score", "lines", "pays"),
    [
        (Interval(0.004, -0.004, 0.013), 0.003, True),  # likelier to help than not
        (Interval(0.004, -0.004, 0.013), -0.001, False),  # of spaces alone
        (Interval(0.0, -0.004, 0.004), 0.0, False),
        (Interval(-0.001, -0.004, 0.002), 0.0, False),
    ],
)
def test_what_helps_as_far_as_the_lines_tell_pays(
    score: Interval, lines: float, pays: bool
) -> None:
    gain = replace(measure(word), score_change=score, change=Interval(lines, -0.01, 0.01))

    assert gain.pays == pays


def test_one_document_cannot_tell() -> None:
    assert not measure(word, groups=1).pays
