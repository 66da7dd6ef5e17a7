"""Runs a bundle's Paddle form through Paddle Inference and oneDNN, on the CPU."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import paddle
from numpy.typing import NDArray
from paddle import inference

from ocr.errors import BadData
from serving.engines.paddle_programs import check_program

# Paddle's import takes SIGTERM for itself, and its handler may hang: give the signals back.
paddle.disable_signal_handler()

PROGRAM = "paddle/inference.json"
ONEDNN_SHAPES = 64
"""oneDNN keeps compiled kernels per input shape; without a limit lines of all widths pile up."""


class PaddleNet:
    """Clones of one predictor, each lent to one call at a time.

    A predictor that two threads share answers one with the other's result, silently.
    """

    def __init__(self, bundle: Path, *, predictors: int) -> None:
        """Load a bundle's ``paddle/`` form.

        Args:
            bundle: Its folder, its files verified.
            predictors: Calls that may run at the same time; the others wait.

        Raises:
            BadData: It does not load.
        """
        check_program(bundle / PROGRAM)
        try:
            predictor = inference.create_predictor(_configure(bundle))
        except (RuntimeError, ValueError, OSError) as error:
            first_line = str(error).strip().partition("\n")[0]
            raise BadData(f"{bundle.name} has no usable Paddle model: {first_line}") from error
        self._idle: SimpleQueue[Any] = SimpleQueue()
        for clone in (predictor, *(predictor.clone() for _ in range(predictors - 1))):
            self._idle.put(clone)

    def __call__(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the net's one output."""
        with self._lent() as predictor:
            predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(batch)
            predictor.run()
            output = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
        return np.asarray(output, dtype=np.float32)

    @contextmanager
    def _lent(self) -> Iterator[Any]:
        predictor = self._idle.get()
        try:
            yield predictor
        finally:
            self._idle.put(predictor)


def _configure(bundle: Path) -> Any:
    folder = bundle / "paddle"
    config = inference.Config(str(bundle / PROGRAM), str(folder / "inference.pdiparams"))
    config.disable_gpu()
    config.enable_mkldnn()
    config.set_mkldnn_cache_capacity(ONEDNN_SHAPES)
    config.set_cpu_math_library_num_threads(1)
    config.disable_glog_info()
    config.enable_new_ir(True)  # as stock paddleocr runs inference.json
    config.enable_new_executor()
    return config
