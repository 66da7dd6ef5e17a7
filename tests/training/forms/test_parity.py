"""Parity: texts equal and probabilities close, image by image."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.errors import ParityFailed
from ocr.reading.recognition.ctc import Recognition, decode
from training.forms.parity import LARGEST_DIFFERENCE, ParityProof, Reading

IMAGES = [np.full((4, 5, 3), value, dtype=np.uint8) for value in (10, 20, 30)]


def frames(*, second: float = 0.9) -> dict[int, NDArray[np.float32]]:
    rows = [[0.1, 0.9], [1 - second, second], [0.9, 0.1]]
    return {i: np.array([row], dtype=np.float32) for i, row in enumerate(rows)}


def reading(found: dict[int, NDArray[np.float32]]) -> Reading[Recognition]:
    return Reading(tuple(decode(one, "A") for one in found.values()), tuple(found.values()))


def compare(found: Recognition, expected: Recognition) -> str:
    return "" if found.text == expected.text else f"reads {found.text!r} not {expected.text!r}"


def check(found: dict[int, NDArray[np.float32]], folder: Path) -> float:
    proof = ParityProof(reading(frames()), IMAGES, folder, compare=compare)
    proof.check("onnx", reading(found))
    return proof.differences["onnx"]


def test_equal_forms_differ_by_nothing(tmp_path: Path) -> None:
    assert check(frames(), tmp_path / "parity") == 0
    assert not (tmp_path / "parity").exists()


def test_the_largest_difference_is_told(tmp_path: Path) -> None:
    assert check(frames(second=0.9005), tmp_path) == pytest.approx(5e-4, abs=1e-6)


def test_another_text_is_refused_with_the_image(tmp_path: Path) -> None:
    with pytest.raises(ParityFailed, match=r"onnx reads '' not 'A' in golden image 1"):
        check(frames(second=0.4), tmp_path)

    saved = cv2.imread(str(tmp_path / "onnx-001.png"))
    np.testing.assert_array_equal(saved, IMAGES[1])


@pytest.mark.parametrize("second", [0.9 + 2 * LARGEST_DIFFERENCE, np.nan])
def test_the_same_text_with_other_probabilities_is_refused(tmp_path: Path, second: float) -> None:
    with pytest.raises(ParityFailed, match="probabilities differ by"):
        check(frames(second=second), tmp_path)


def test_other_shapes_are_refused(tmp_path: Path) -> None:
    found = frames() | {2: np.array([[0.9, 0.1], [0.9, 0.1]], dtype=np.float32)}

    with pytest.raises(ParityFailed, match="differ by inf"):
        check(found, tmp_path)


def test_a_form_that_leaves_out_an_image_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParityFailed, match="reads 2 of 3 golden images"):
        check({0: frames()[0], 1: frames()[1]}, tmp_path)
