"""Arrays are read out of a pickle that is not run, and chosen by character."""

import io
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

from training.paddleocr.pretrained.fit_tool import fit_characters, read_arrays


class Runs:
    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.target),)


@pytest.mark.parametrize("protocol", [2, 4])
def test_arrays_are_read_by_name(protocol: int) -> None:
    weights = {"a.w": np.ones((2, 3), np.float32), "names": {"a.w": "w_0"}, "b": np.ones(2, int)}

    found = read_arrays(io.BytesIO(pickle.dumps(weights, protocol)))

    assert found.keys() == {"a.w"}
    np.testing.assert_array_equal(found["a.w"], weights["a.w"])


def test_what_a_pickle_asks_for_is_not_run(tmp_path: Path) -> None:
    content = pickle.dumps({"a.w": Runs(tmp_path / "pwned")})

    with pytest.raises(pickle.UnpicklingError, match=r"it holds posix.mkdir, expected arrays only"):
        read_arrays(io.BytesIO(content))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_refused(number: float) -> None:
    content = pickle.dumps({"a.w": np.array([1, number], np.float32)})

    with pytest.raises(pickle.UnpicklingError, match=r"of a.w some numbers are infinite or none"):
        read_arrays(io.BytesIO(content))


def test_what_no_tensor_is_made_of_is_left_out() -> None:
    odd = {"class": np.ndarray, "type": np.dtype("f4"), "wide": np.ones(2, np.longdouble)}

    assert read_arrays(io.BytesIO(pickle.dumps(odd))) == {}


def test_an_array_without_its_numbers_takes_no_memory() -> None:
    class Bomb:
        def __reduce__(self) -> tuple[object, tuple[tuple[int], str]]:
            return np.ndarray, ((1 << 40,), "f8")

    with pytest.raises(pickle.UnpicklingError, match="it is damaged"):
        read_arrays(io.BytesIO(pickle.dumps({"w": Bomb()})))


def test_a_zip_is_said_to_be_none_of_paddles() -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"^it is none of Paddle's, a zip perhaps$"):
        read_arrays(io.BytesIO(b"PK\3\4" + b"0" * 99 + b"\n"))


@pytest.mark.parametrize("content", [b"", b"no pickle", pickle.dumps([1]), pickle.dumps({})[:-1]])
def test_what_is_no_dictionary_of_arrays_is_refused(content: bytes) -> None:
    with pytest.raises(pickle.UnpicklingError):
        read_arrays(io.BytesIO(content))


@pytest.mark.parametrize("name", ["head.fc", "head.ctc_head.fc2", "Student.head.fc2"])
def test_each_character_keeps_what_was_learnt_of_it_and_a_new_one_gets_the_mean(name: str) -> None:
    bias = np.array([9, 1, 2, 3], np.float32)  # of the blank, a, b and c
    weight = np.stack([bias, 10 * bias])
    arrays = {f"{name}.bias": bias, f"{name}.weight": weight}

    found = fit_characters(arrays, ["a", "b", "c"], ["c", "x", "a"])

    np.testing.assert_array_equal(found[f"{name}.bias"], [9, 3, 2, 1])
    np.testing.assert_array_equal(found[f"{name}.weight"], [[9, 3, 2, 1], [90, 30, 20, 10]])


def test_layers_that_are_as_large_as_the_charset_by_chance_are_kept() -> None:
    known = [chr(0x4E00 + number) for number in range(62)]
    arrays = {
        "head.ctc_encoder.encoder.conv1.weight": np.ones((64, 60, 1, 3), np.float32),
        "head.fc1.weight": np.ones((96, 64), np.float32),
        "head.fc2.weight": np.ones((64, 63), np.float32),
        "head.scale": np.ones((), np.float32),
    }

    assert fit_characters(arrays, known, known[::-1]).keys() == arrays.keys()


def test_a_second_head_of_other_characters_starts_anew_and_nothing_else() -> None:
    arrays = {
        "head.gtc_head.embedding.weight": np.ones((7, 96), np.float32),
        "head.gtc_head.norm.weight": np.ones(96, np.float32),
        "backbone.conv.weight": np.ones((4, 4), np.float32),
    }

    assert fit_characters(arrays, ["a", "b", "c"], ["a", "b", "d"]).keys() == {
        "head.gtc_head.norm.weight",
        "backbone.conv.weight",
    }
    assert fit_characters(arrays, ["a", "b", "c"], ["a", "b", "c"]) == arrays
