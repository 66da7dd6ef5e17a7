"""A head for a charset: whose columns a character takes."""

import numpy as np

from training.recognition.ppocr_v6.columns import class_of_columns, cut_head, find_columns

CHARACTERS = ("a", "A", "Ａ", "b", "1", "①", " ")


def test_a_character_takes_its_column_and_those_of_variants_that_are_no_classes() -> None:
    columns = find_columns(CHARACTERS, ("A", "1", "b"))

    assert columns == [[0], [1, 2, 3], [5, 6], [4]]


def test_a_variant_that_is_a_class_keeps_its_column() -> None:
    columns = find_columns(CHARACTERS, ("A", "a", "Ａ"))

    assert columns == [[0], [2], [1], [3]]


def test_the_whole_charset_keeps_every_column_in_its_place() -> None:
    columns = find_columns(CHARACTERS, CHARACTERS)

    assert columns == [[number] for number in range(8)]


def test_a_new_character_starts_as_noise_without_a_lead() -> None:
    rng = np.random.default_rng(0)
    weights = {
        "head.linear.weight": rng.normal(size=(16, 8)).astype(np.float32),
        "head.linear.bias": np.arange(8, dtype=np.float32),
    }
    columns = find_columns(CHARACTERS, ("A", "皖"))

    head = cut_head(weights, columns, seed=0)

    assert class_of_columns(columns) == (0, 1, 1, 1, 2)
    np.testing.assert_array_equal(head["head.linear.bias"], [0, 1, 2, 3, 4])
    kernel = head["head.linear.weight"]
    np.testing.assert_array_equal(kernel[:, 1:4], weights["head.linear.weight"][:, 1:4])
    assert 0 < np.abs(kernel[:, 4]).mean() < np.abs(kernel[:, :4]).mean()
