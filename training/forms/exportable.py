"""What a checkpoint of any task must offer to be exported: all in which the tasks differ."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ocr.image.pixels import Image
from ocr.models.bundle import ModelManifest
from training.forms.parity import Probabilities, Reading
from training.forms.static_graph import InputShape

Output = TypeVar("Output")
Run = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""One form of a net: (N, 3, H, W) to probabilities."""


class Reader(Protocol[Output]):
    """How images become the input of a net, and its probabilities an output."""

    def infer(self, run: Run, images: Sequence[Image]) -> list[Probabilities]:
        """Run one form of the net and return the probabilities of each image."""

    def decode(self, probabilities: Sequence[Probabilities]) -> Reading[Output]:
        """Turn the probabilities of each image into its output."""


class Exportable(Protocol[Output]):
    """A loaded checkpoint of one task."""

    @property
    def net(self) -> Any:
        """In evaluation; `export_paddle` spoils it."""

    @property
    def shape(self) -> InputShape:
        """Of the net's input."""

    @property
    def dimensions(self) -> str:
        """Letters that name the dimensions of the net's output."""

    @property
    def reader(self) -> Reader[Output]:
        """Reads as ocrline does."""

    def config(self) -> dict[str, Any]:
        """Say in inference.yml how stock PaddleOCR is to read."""

    def stock_reader(self, config: Mapping[str, Any]) -> Reader[Output]:
        """Read as stock PaddleOCR does, which knows nothing but an inference.yml."""

    def fit_golden(self, image: Image) -> Image:
        """Return what is kept of an image of the snapshot to compare forms on."""

    def write_files(self, bundle: Path) -> None:
        """Write what the bundle needs beside its forms."""

    def read_onnx(self, bundle: Path, images: Sequence[Image]) -> Reading[Output]:
        """Read with the bundle's ONNX form as those who serve it do."""

    def compare(self, found: Output, expected: Output) -> str:
        """Say in what an output differs from the checkpoint's; in nothing: empty."""

    def record(self, output: Output, sample: Mapping[str, Any]) -> dict[str, Any]:
        """Describe an output for golden/outputs.json, given the image's row of the snapshot."""

    def manifest(self, **fields: Any) -> ModelManifest:
        """Complete the fields that all manifests share."""

    def card(self) -> tuple[str, dict[str, Any]]:
        """Name the template of the model card and what it says of this model alone."""
