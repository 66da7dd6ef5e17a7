from collections.abc import Sequence

import numpy as np

from ocr.evaluation.bootstrap import Resampling
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


def draw(n: int, *, documents: int = 10**9) -> Resampling:
    return Resampling(np.arange(n) % documents, resamples=500, seed=0)


def test_slices_count_only_their_own_lines() -> None:
    lines = [line("123"), line("12345678"), line("abc", source="b"), line("99")]
    candidate, opponent = np.array([1.0, 0.0, 1.0, 1.0]), np.array([1.0, 1.0, 0.0, 1.0])

    slices = {
        part.title: part
        for part in measure_line_slices(
            lines, draw(4), candidate=candidate, opponent=opponent, training_counts={}
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
            lines, draw(4), candidate=np.ones(4), opponent=None, training_counts=counts
        )
    }

    assert slices["one never seen in training"] == 1
    assert slices["one seen under 10 times"] == 2


def test_parts_that_are_everything_or_nothing_are_left_out() -> None:
    lines = [line("12"), line("34")]

    slices = measure_line_slices(
        lines, draw(2), candidate=np.ones(2), opponent=None, training_counts={}
    )

    assert slices == []


def count_parts(lines: Sequence[EvaluatedLine]) -> dict[str, int]:
    """How many lines each part has."""
    n = len(lines)
    parts = measure_line_slices(
        lines, draw(n), candidate=np.ones(n), opponent=None, training_counts={}
    )
    return {part.title: part.n for part in parts}


def test_thirds_split_by_height_and_sharpness() -> None:
    lines = [line("12", height_px=h, sharpness=h) for h in (10, 20, 30, 40, 50, 60)]

    assert count_parts(lines) == {
        "sharpness: blurriest third": 2,
        "sharpness: sharpest third": 2,
        "height: smallest third": 2,
        "height: largest third": 2,
    }


def test_part_beside_many_equal_heights_is_named_by_these() -> None:
    heights = [20] * 6 + [32] * 70 + [48] * 4
    lines = [line("12", height_px=h, sharpness=n) for n, h in enumerate(heights)]

    assert count_parts(lines) == {
        "sharpness: blurriest third": 27,
        "sharpness: sharpest third": 27,
        "height: smallest, below 32": 6,
        "height: largest, above 32": 4,
    }


def test_what_one_document_lost_is_no_loss_of_a_slice() -> None:
    lines = [line("12" if number % 2 else "123456") for number in range(400)]
    read, lost = np.ones(400), np.ones(400)
    lost[1:400:20] = 0.0  # 20 short lines: all of one of 20 documents, or each its own

    by_line, by_document = (
        {
            part.title: part
            for part in measure_line_slices(
                lines, draws, candidate=lost, opponent=read, training_counts={}
            )
        }["length: 1–4 characters"]
        for draws in (draw(400), draw(400, documents=20))
    )

    assert by_line.lost == by_document.lost == 20
    assert by_line.p_value < 1e-4
    assert by_document.p_value > 0.2


def test_the_bounds_of_a_slice_are_those_of_its_documents() -> None:
    lines = [line("12" if number % 2 else "123456") for number in range(400)]
    read = np.ones(400)
    read[1:400:20] = read[3:400:20] = 0.0

    by_line, by_document, few = (
        {
            part.title: part
            for part in measure_line_slices(
                lines, draws, candidate=read, opponent=None, training_counts={}
            )
        }["length: 1–4 characters"].accuracy
        for draws in (draw(400), draw(400, documents=20), draw(400, documents=4))
    )

    assert by_line.value == by_document.value == 0.8
    assert by_line.upper < 0.86
    assert by_document.upper > 0.95
    assert (few.lower, few.upper) == (0.0, 1.0)
