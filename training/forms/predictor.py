"""Paddle Inference over an exported form, for the proof of parity."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from paddle import inference


class Predictor:
    """Runs one exported model on one CPU thread.

    Args:
        model: `inference.json` or `inference.pdmodel`.
        parameters: `inference.pdiparams`.
        onednn: Use oneDNN's kernels, as stock paddleocr does.
    """

    def __init__(self, model: Path, parameters: Path, *, onednn: bool) -> None:
        config = inference.Config(str(model), str(parameters))
        config.disable_gpu()
        config.disable_glog_info()
        config.set_cpu_math_library_num_threads(1)
        if onednn:
            config.enable_mkldnn()
        else:
            config.disable_mkldnn()
        if model.suffix == ".json":  # as paddlex 3.7 configures it
            config.enable_new_ir(True)
            config.enable_new_executor()
        self._predictor = inference.create_predictor(config)

    def __call__(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probabilities of a batch (N, 3, H, W)."""
        source = self._predictor.get_input_handle(self._predictor.get_input_names()[0])
        source.copy_from_cpu(x)
        self._predictor.run()
        target = self._predictor.get_output_handle(self._predictor.get_output_names()[0])
        return np.asarray(target.copy_to_cpu(), dtype=np.float32)
