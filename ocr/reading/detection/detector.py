"""Detectors: pages in, boxes out. The ONNX Runtime one is what serves."""

from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.image.pixels import Image
from ocr.models.bundle import ONNX_MODEL, read_detector_bundle
from ocr.models.detector_spec import BoxRule, PageSpec
from ocr.reading.cores import ONE_CORE, Cores
from ocr.reading.detection.boxes import Detections, find_boxes
from ocr.reading.detection.page_input import fit_page, to_page_input
from ocr.reading.onnx_session import open_session


class Detector(Protocol):
    """Anything that finds the lines of pages."""

    @property
    def name(self) -> str:
        """What finds, for reports and logs."""

    def detect(self, image: Image) -> Detections:
        """Find the lines of a (H, W, 3) BGR page of any size, in its pixels."""


class OnnxDetector:
    """Finds with a bundle's ONNX form on the CPU; safe to share between threads."""

    def __init__(
        self, model: bytes, *, spec: PageSpec, rule: BoxRule, name: str, cores: Cores = ONE_CORE
    ) -> None:
        """Load a model.

        Args:
            model: Content of an ONNX file with the input ``x``.
            spec: Its input.
            rule: How its map becomes boxes.
            name: For reports and logs.
            cores: Where all are idle, all find the lines of a page.

        Raises:
            BadData: The model cannot be loaded, or is no detector.
        """
        self.name = name
        self._spec = spec
        self._rule = rule
        self._cores = cores
        self._sessions = {
            threads: open_session(model, name=name, threads=threads) for threads in {1, cores.count}
        }
        self._check_fit()

    @classmethod
    def load(cls, bundle: Path, *, cores: Cores = ONE_CORE, plain: bool = False) -> "OnnxDetector":
        """Load a bundle after verifying every file of it.

        Args:
            bundle: Its folder.
            cores: Where all are idle, all find the lines of a page.
            plain: Find as its forms do in other runtimes, in float32.

        Raises:
            ArtifactNotFound: It is no bundle or lacks a file.
            BadData: It is no detector's, a file is damaged, or the model does not fit.
        """
        manifest = read_detector_bundle(bundle)
        return cls(
            (bundle / (ONNX_MODEL if plain else manifest.served_form)).read_bytes(),
            spec=manifest.input,
            rule=manifest.boxes,
            name=f"{manifest.name}:{manifest.version}",
            cores=cores,
        )

    def detect(self, image: Image) -> Detections:
        """Find the lines of a (H, W, 3) BGR page of any size, in its pixels."""
        height_px, width_px = image.shape[:2]
        return find_boxes(
            self.probabilities(image), self._rule, width_px=width_px, height_px=height_px
        )

    def probabilities(self, image: Image) -> NDArray[np.float32]:
        """Return the map (H', W') of a page, in the size that it has before the net."""
        page_input = to_page_input(fit_page(image, self._spec), self._spec)
        with self._cores.all_if_idle() as threads:
            (output,) = self._sessions[threads].run(None, {"x": page_input})
        probabilities: NDArray[np.float32] = output[0, 0]
        return probabilities

    def _check_fit(self) -> None:
        inputs = {node.name: node.shape for node in self._sessions[1].get_inputs()}
        outputs = [node.shape for node in self._sessions[1].get_outputs()]
        takes_pages = list(inputs) == ["x"] and len(inputs["x"]) == 4 and inputs["x"][1] == 3
        gives_a_map = len(outputs) == 1 and len(outputs[0]) == 4 and outputs[0][1] == 1
        if not (takes_pages and gives_a_map):
            raise BadData(
                f"{self.name} takes {inputs} and gives {outputs}, "
                "expected x of (N, 3, H, W) and one map of (N, 1, H, W)"
            )
