"""The weights of one net, taken out of what PaddleOCR's trainer saved."""

from pathlib import Path

import numpy as np
import paddle
import pytest

from training.paddleocr.foreign.take_weights import main


@pytest.mark.parametrize("saved", ["float16", "bfloat16", "float32"])
def test_weights_of_any_precision_are_taken_as_float32(tmp_path: Path, saved: str) -> None:
    weights = np.array([0.5, -3.0, 1.25], np.float32)
    paddle.save({"fc.weight": paddle.to_tensor(weights).astype(saved)}, str(tmp_path / "a"))

    main(str(tmp_path / "a"), str(tmp_path / "b"))

    taken = paddle.load(str(tmp_path / "b"))["fc.weight"]
    assert taken.dtype == paddle.float32
    np.testing.assert_array_equal(taken.numpy(), weights)
