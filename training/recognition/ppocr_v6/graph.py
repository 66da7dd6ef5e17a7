"""The weights of PP-OCRv6's small recogniser by our names, and the characters of its classes."""

from functools import cached_property

from training.loop.checkpoint import Arrays
from training.ppocr_v6.backbone import convolution_names
from training.ppocr_v6.graph import PretrainedGraph
from training.recognition.ppocr_v6.net import BLOCKS


class RecogniserGraph(PretrainedGraph):
    """The graph of the recogniser.

    Attributes:
        characters: The characters of its classes 1 and up.
    """

    def __init__(self) -> None:
        """Read it.

        Raises:
            BadInput: The wheel is not installed, or another.
        """
        super().__init__("PP-OCRv6_rec_small.onnx")
        self.characters = (*self.metadata("character").splitlines(), " ")

    @cached_property
    def weights(self) -> Arrays:
        """Weights and statistics under the names of `PretrainedNet`, the head as it is."""
        neck = ("neck.short", "neck.enter", "neck.along")
        found = self.convolutions([*convolution_names(BLOCKS), *neck])
        for number, name in enumerate(_linear_names()):
            found[f"{name}.weight"] = self.stored[f"linear_{number}.w_0"]
            found[f"{name}.bias"] = self.stored[f"linear_{number}.b_0"]
        for number, name in enumerate(_norm_names()):
            found[f"{name}.weight"] = self.stored[f"helper.reshape.{2 * number}"].reshape(-1)
            found[f"{name}.bias"] = self.stored[f"helper.reshape.{2 * number + 1}"].reshape(-1)
        return found


def _linear_names() -> list[str]:
    parts = ("mix", "project", "widen", "narrow")
    return [*(f"neck.layers.{n}.{part}" for n in (0, 1) for part in parts), "head.linear"]


def _norm_names() -> list[str]:
    layers = [f"neck.layers.{n}.{part}" for n in (0, 1) for part in ("norm", "second_norm")]
    return [*layers, "neck.norm"]
