import unicodedata

import pytest

from ocr.errors import BadData
from ocr.evaluation.lines.metrics import measure_lines


def test_perfect_predictions_score_one_and_no_errors() -> None:
    metrics = measure_lines(["A1", "皖B2"], ["A1", "皖B2"])

    assert (metrics.n, metrics.accuracy, metrics.ned, metrics.cer) == (2, 1.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("prediction", "reference", "raw", "nfc", "spaceless"),
    [
        ("a b", "ab", 0, 0, 1),
        ("é", unicodedata.normalize("NFD", "é"), 0, 1, 0),
        ("ab", "ab", 1, 1, 1),
        ("ab", "AB", 0, 0, 0),
    ],
)
def test_accuracy_comes_in_three_forms(
    prediction: str, reference: str, raw: float, nfc: float, spaceless: float
) -> None:
    metrics = measure_lines([prediction], [reference])

    assert (metrics.accuracy, metrics.accuracy_nfc, metrics.accuracy_spaceless) == (
        raw,
        nfc,
        spaceless,
    )


def test_ned_is_the_mean_over_lines_and_cer_the_share_over_characters() -> None:
    metrics = measure_lines(["abcx", "z"], ["abcd", "y"])

    assert metrics.ned == pytest.approx((0.75 + 0.0) / 2)
    assert metrics.cer == pytest.approx(2 / 5)


def test_cer_of_invented_text_exceeds_one() -> None:
    assert measure_lines(["abcdef"], ["x"]).cer == 6.0


def test_first_character_can_be_left_out() -> None:
    metrics = measure_lines(["苏A12345", "皖A1234X"], ["皖A12345", "皖A12345"])

    assert metrics.accuracy == 0.0
    assert metrics.accuracy_without_first == 0.5
    assert metrics.ned_without_first == pytest.approx((1 + 5 / 6) / 2)


def test_empty_texts_agree_with_each_other() -> None:
    metrics = measure_lines([""], [""])

    assert (metrics.accuracy, metrics.ned, metrics.cer) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize(("predictions", "references"), [([], []), (["a"], ["a", "b"])])
def test_nothing_to_measure_is_bad_data(predictions: list[str], references: list[str]) -> None:
    with pytest.raises(BadData):
        measure_lines(predictions, references)
