"""The gain of a text model: measured on documents it was not weighed on."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ocr.evaluation.bootstrap import Interval
from ocr.evaluation.lines.text_gain import ReadLine, TextGain, find_reason, measure_text_gain
from ocr.models.bundle import TEXT_MODEL_GAIN
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
    texts: Callable[[np.random.Generator], str],
    *,
    count: int = 160,
    groups: int = 40,
    gap: str = "",
    seed: int = 1,
) -> TextGain:
    rng = np.random.default_rng(seed)
    trained = [texts(rng) for _ in range(300)]
    lines = [read(texts(rng), group=f"page {n % groups}", rng=rng) for n in range(count)]
    lines = [replace(line, text=line.text[:2] + gap + line.text[2:]) for line in lines]
    model = TextModel(*count_ngrams(trained, CHARSET), weight=0.0)
    return measure_text_gain(model, lines, CHARSET, seed=0)


def read_abb(last: float, *, text: str, group: str) -> ReadLine:
    """A line that the net reads as ABBB, with ABBA as likely as said.

    Where ABBA was learnt, it is read so: 0.3 at every weight, 0.1 at those from 0.2 on.
    """
    frames = [np.eye(CHARSET.size)[k] for k in (1, 0, 2, 0, 2, 0)]
    frame = np.full(CHARSET.size, 0.001)
    frame[[1, 2]] = last, 1 - last
    return ReadLine(text, group, np.array([*frames, frame], dtype=np.float32))


def measure_abba(*lines: ReadLine) -> TextGain:
    model = TextModel(*count_ngrams(["ABBA"] * 100, CHARSET), weight=0.0)
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


def test_texts_that_teach_nothing_are_seldom_read_with() -> None:
    gains = [measure(noise, count=40, groups=20, seed=seed) for seed in range(30)]

    assert sum(gain.pays for gain in gains) <= 5  # 8 have a change and a score above 0
    assert abs(np.mean([gain.change.value for gain in gains])) < 0.1


@pytest.mark.parametrize(
    ("gained", "lost", "pays"),
    [
        (60, 48, True),  # 1.2 standard errors above 0: not sure, but likely
        (58, 51, False),  # 0.7
        (54, 54, False),
        (48, 60, False),
    ],
)
def test_what_is_likely_to_help_pays(gained: int, lost: int, pays: bool) -> None:
    texts = ["ABBA"] * gained + ["ABBB"] * lost

    gain = measure_abba(
        *(read_abb(0.3, text=text, group=f"page {n}") for n, text in enumerate(texts))
    )

    assert gain.pays == pays
    assert gain.change.value == (gained - lost) / len(texts)
    assert gain.change.lower < 0
    assert (gain.score_change.lower > 0) == pays


def test_a_document_is_read_at_a_weight_that_others_chose() -> None:
    gaining = [read_abb(0.1, text="ABBA", group="page 1") for _ in range(6)]
    losing = [read_abb(0.1, text="ABBB", group="page 2") for _ in range(2)]

    gain = measure_abba(*gaining, *losing)

    assert gain.change.value == -2 / 8
    assert gain.change_at_weight == (6 - 2) / 8
    assert not gain.pays


def test_the_weight_reads_no_fewer_lines_exactly_right() -> None:
    spaced = [read_abb(last, text="AB BA", group="page 1") for last in (0.3, 0.1, 0.1, 0.1)]
    losing = read_abb(0.1, text="ABBB", group="page 2")

    gain = measure_abba(*spaced, losing)

    assert gain.model.weight == 0.1
    assert gain.change_at_weight == 0.0


def test_a_loss_at_every_weight_is_one_at_the_weight_of_the_model() -> None:
    spaced = [read_abb(0.3, text="AB BA", group="page 1") for _ in range(3)]
    losing = read_abb(0.3, text="ABBB", group="page 2")

    assert measure_abba(*spaced, losing).change_at_weight == -1 / 4


@pytest.mark.parametrize(
    ("likely", "lines", "at_weight", "reason"),
    [
        (0.0008, 0.0036, 0.0036, ""),
        (0.0008, 0.0, 0.0, ""),
        (0.0, 0.0036, 0.0036, "it helps with a probability of less than about 80%"),
        (-0.001, 0.0036, 0.0036, "it helps with a probability of less than about 80%"),
        (0.0008, -0.001, 0.0036, "fewer validation lines are read exactly right with it"),
        (0.0008, 0.0, -0.001, "every weight reads fewer validation lines exactly right"),
    ],
)
def test_what_is_left_out_has_a_reason(
    likely: float, lines: float, at_weight: float, reason: str
) -> None:
    gain = replace(
        measure_abba(read_abb(0.3, text="ABBA", group="page")),
        score_change=Interval(0.0045, likely, 0.0079),
        change=Interval(lines, -0.01, 0.01),
        change_at_weight=at_weight,
    )

    assert gain.reason == reason
    assert gain.pays == (reason == "")


def test_one_document_cannot_tell() -> None:
    gain = measure(word, groups=1)

    assert not gain.pays
    assert gain.reason.startswith("the validation lines are of one document")
    assert not gain.is_bounded
    assert sorted(gain.metrics) == ["text_model_gain", "text_model_gain_at_weight"]


@pytest.mark.parametrize(
    ("lower", "upper", "reason"),
    [(-1.0, 1.0, "the validation lines are of one document"), (-0.01, 0.02, "it does not help")],
)
def test_of_earlier_bundles_is_said_what_they_know(lower: float, upper: float, reason: str) -> None:
    known = dict(zip(TEXT_MODEL_GAIN, (0.004, lower, upper), strict=True))

    assert find_reason(known).startswith(reason)
