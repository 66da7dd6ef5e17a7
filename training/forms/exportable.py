"""What the export takes: all in which a detector's checkpoint differs from a recogniser's."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from configs.jobs import ExportJob
from ocr.image.pixels import Image
from ocr.models.bundle import ONNX_MODEL, ModelManifest
from ocr.store import Store
from training.forms.parity import Probabilities, Reading
from training.forms.trained_net import Net

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
    """A loaded checkpoint of a recogniser or a detector."""

    @property
    def net(self) -> Net:
        """The net."""

    @property
    def dimensions(self) -> str:
        """Names of the dimensions of the net's output, a letter each."""

    @property
    def reader(self) -> Reader[Output]:
        """The way ocrline reads."""

    def config(self) -> dict[str, Any]:
        """Return the inference.yml that tells stock PaddleOCR how to read."""

    def stock_reader(self, config: Mapping[str, Any]) -> Reader[Output]:
        """Return the way stock PaddleOCR reads, given nothing but an inference.yml."""

    def fit_golden(self, image: Image) -> Image:
        """Return an image of the snapshot as the forms are compared on it."""

    def write_files(self, bundle: Path) -> None:
        """Write what the bundle needs beside its forms."""

    def read_onnx(
        self, bundle: Path, images: Sequence[Image], *, form: str = ONNX_MODEL
    ) -> Reading[Output]:
        """Read with an ONNX form of the bundle as the gateway does."""

    def refine(
        self, bundle: Path, *, job: ExportJob, store: Store, folder: Path
    ) -> list[tuple[Image, dict[str, Any]]]:
        """Add to a bundle what the snapshot teaches with the ONNX form at hand.

        Args:
            bundle: Has the ONNX form and what `write_files` wrote.
            job: Names the snapshot.
            store: Holds it.
            folder: For what must be fetched of it.

        Returns:
            Golden images that prove it, each with its row of the snapshot.
        """

    def compare(self, found: Output, expected: Output) -> str:
        """Say how an output differs from the checkpoint's; empty when it does not."""

    def record(
        self, output: Output, probabilities: Probabilities, sample: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Describe for golden/outputs.json what the bundle reads.

        Args:
            output: Of the forms in float32.
            probabilities: Of the form that serves.
            sample: The row of the snapshot.
        """

    def manifest(self, **fields: Any) -> ModelManifest:
        """Return the manifest, given the fields that all manifests share."""

    def card(self) -> tuple[str, dict[str, Any]]:
        """Return the template of the model card and the values for it."""
