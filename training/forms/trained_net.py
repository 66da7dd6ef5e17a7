"""A net as an export takes it: it answers, and is written as a static graph."""

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import paddle
from numpy.typing import NDArray

from training.forms.static_graph import InputShape, save_static


class Net(Protocol):
    """The net of a checkpoint."""

    def answer(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probabilities of a batch (N, 3, H, W)."""

    def save(self, folder: Path, *, legacy: bool) -> None:
        """Write model and parameters into a folder; the net answers no more.

        Args:
            folder: It exists.
            legacy: Whether as inference.pdmodel (FLAGS_enable_pir_api=0), else as inference.json.
        """


class TrainedNet:
    """A net of ours, out of training."""

    def __init__(self, net: Any, shape: InputShape) -> None:
        """Take a net and the shape of its input."""
        self._net = net
        self._shape = shape

    def answer(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probabilities of a batch (N, 3, H, W)."""
        with paddle.no_grad():
            return np.asarray(self._net(paddle.to_tensor(x)).numpy(), dtype=np.float32)

    def save(self, folder: Path, *, legacy: bool) -> None:  # noqa: ARG002 - a flag of paddle's says
        """Write model and parameters; the net is unusable afterwards."""
        save_static(self._net, self._shape, folder)
