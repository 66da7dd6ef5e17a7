import numpy as np

from ocr.evaluation.lines.report import EvaluatedLine, Reading
from ocr.evaluation.lines.slices import measure_line_slices


def line(
    text: str, *, source: str = "a", height_px: int = 24, sharpness: float = 1.0
) -> EvaluatedLine:
    return EvaluatedLine(
        id="",
        text=text,
        source=source,
        group="",
        width_px=94,
        height_px=height_px,
        sharpness=sharpness,
        candidate=Reading(text="", confidence=0.0),
        opponent=None,
    )


def test_slices_count_only_their_own_lines() -> None:
    lines = [line("123"), line("12345678"), line("abc", source="b"), line("99")]
    candidate, opponent = np.array([1.0, 0.0, 1.0, 1.0]), np.array([1.0, 1.0, 0.0, 1.0])

    slices = {
        part.title: part
        for part in measure_line_slices(
            lines, candidate=candidate, opponent=opponent, training_counts={}
        )
    }

    assert slices["length: 1–4 characters"].n == 3
    assert slices["length: 1–4 characters"].accuracy.value == 1.0
    assert slices["content: digits only"].n == 3
    assert slices["content: digits only"].lost == 1
    assert slices["source: b"].gained == 1
    assert slices["source: b"].opponent_accuracy == 0.0
    assert slices["script: Latin"].n == 1


def test_rare_and_unseen_characters_are_relative_to_training() -> None:
    lines = [line("aa"), line("ab"), line("ac"), line("ad")]
    counts = {"a": 100, "b": 9, "d": 10}

    slices = {
        part.name: part.n
        for part in measure_line_slices(
            lines, candidate=np.ones(4), opponent=None, training_counts=counts
        )
    }

    assert slices["one never seen in training"] == 1
    assert slices["one seen under 10 times"] == 2


def test_parts_that_are_everything_or_nothing_are_left_out() -> None:
    lines = [line("12"), line("34")]

    assert measure_line_slices(lines, candidate=np.ones(2), opponent=None, training_counts={}) == []


def test_thirds_split_by_height_and_sharpness() -> None:
    lines = [line("12", height_px=h, sharpness=h) for h in (10, 20, 30, 40, 50, 60)]

    slices = {
        part.name: part.n
        for part in measure_line_slices(
            lines, candidate=np.ones(6), opponent=None, training_counts={}
        )
    }

    assert slices == {
        "blurriest third": 2,
        "sharpest third": 2,
        "smallest third": 2,
        "largest third": 2,
    }
