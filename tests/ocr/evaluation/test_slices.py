import cv2
import numpy as np
import pytest

from ocr.evaluation.slices import SlicedLine, measure_slices, script_of, sharpness_of


def line(
    text: str, *, source: str = "a", height_px: int = 24, sharpness: float = 1.0
) -> SlicedLine:
    return SlicedLine(
        text=text, source=source, width_px=94, height_px=height_px, sharpness=sharpness
    )


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("皖A12", "Han + Latin"),
        ("0123", "no letters"),
        ("Straße", "Latin"),
        ("カナかな", "Kana"),
        ("Привет", "Cyrillic"),
        ("", "no letters"),
    ],
)
def test_script_is_named_by_its_letters(text: str, script: str) -> None:
    assert script_of(text) == script


def test_slices_count_only_their_own_lines() -> None:
    lines = [line("123"), line("12345678"), line("abc", source="b"), line("99")]
    candidate, opponent = np.array([1.0, 0.0, 1.0, 1.0]), np.array([1.0, 1.0, 0.0, 1.0])

    slices = {
        part.title: part
        for part in measure_slices(
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
    lines = [line("aa"), line("ab"), line("ac")]

    slices = {
        part.name: part.n
        for part in measure_slices(
            lines, candidate=np.ones(3), opponent=None, training_counts={"a": 100, "b": 3}
        )
    }

    assert slices["one never seen in training"] == 1
    assert slices["one seen under 10 times"] == 2


def test_parts_that_are_everything_or_nothing_are_left_out() -> None:
    lines = [line("12"), line("34")]

    assert measure_slices(lines, candidate=np.ones(2), opponent=None, training_counts={}) == []


def test_thirds_split_by_height_and_sharpness() -> None:
    lines = [line("12", height_px=h, sharpness=h) for h in (10, 20, 30, 40, 50, 60)]

    slices = {
        part.name: part.n
        for part in measure_slices(lines, candidate=np.ones(6), opponent=None, training_counts={})
    }

    assert slices == {
        "blurriest third": 2,
        "sharpest third": 2,
        "smallest third": 2,
        "largest third": 2,
    }


def test_blurred_image_is_less_sharp() -> None:
    image = np.zeros((24, 94, 3), dtype=np.uint8)
    image[:, ::6] = 255

    assert sharpness_of(cv2.GaussianBlur(image, (7, 7), 0)) < sharpness_of(image)
