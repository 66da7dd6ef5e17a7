"""Reads with a net that is given as a function of arrays, whatever runs it."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.image.pixels import Image
from ocr.models.bundle import (
    CHARSET,
    INT8_MODEL,
    ModelManifest,
    read_detector_bundle,
    read_recogniser_bundle,
)
from ocr.models.charset import Charset
from ocr.reading.cores import Cores
from ocr.reading.detection.boxes import Detections, find_boxes
from ocr.reading.detection.page_input import fit_page, to_page_input
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.decoder import Decoder, read_text_model
from ocr.reading.recognition.recogniser import decode_outputs, run_in_batches

Net = Callable[[NDArray[np.float32]], NDArray[np.float32]]


class NetRecogniser:
    """A recogniser over a net; as safe to share between threads as the net is."""

    def __init__(self, bundle: Path, net: Net, *, cores: Cores) -> None:
        """Read what the bundle says of its net, after verifying every file.

        Args:
            bundle: Its folder.
            net: (N, 3, H, W) to (N, T, C).
            cores: Idle ones read further batches of a call.

        Raises:
            BadData: A file is damaged, or its evaluation read in 8 bits.
        """
        manifest = read_recogniser_bundle(bundle)
        _check_form(manifest)
        self.name = f"{manifest.name}:{manifest.version}"
        self._net = net
        self._charset = Charset.read(bundle / CHARSET)
        self._decoder = Decoder(self._charset, read_text_model(bundle, manifest))
        self._spec = manifest.input
        self._cores = cores

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        """Read (H, W, 3) BGR images of any size, in their order."""
        frames = run_in_batches(self._run, images=images, spec=self._spec, cores=self._cores)
        return decode_outputs(self._decoder, frames, images=images, spec=self._spec)

    def _run(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        output = self._net(batch)
        if output.ndim != 3 or output.shape[-1] != self._charset.size:
            raise BadData(
                f"{self.name} gives {output.shape}, {CHARSET} has {self._charset.size} classes"
            )
        return output


class NetDetector:
    """A detector over a net; as safe to share between threads as the net is."""

    def __init__(self, bundle: Path, net: Net) -> None:
        """Read what the bundle says of its net, after verifying every file.

        Args:
            bundle: Its folder.
            net: (1, 3, H, W) to (1, 1, H, W).

        Raises:
            BadData: It is no detector's, a file is damaged, or its evaluation read in 8 bits.
        """
        manifest = read_detector_bundle(bundle)
        _check_form(manifest)
        self.name = f"{manifest.name}:{manifest.version}"
        self._net = net
        self._spec = manifest.input
        self._rule = manifest.boxes

    def detect(self, image: Image) -> Detections:
        """Find the lines of a (H, W, 3) BGR page of any size, in its pixels."""
        page_input = to_page_input(fit_page(image, self._spec), self._spec)
        output = self._net(page_input)
        if output.shape != (1, 1, *page_input.shape[2:]):
            raise BadData(f"{self.name} gives {output.shape} for a page of {page_input.shape}")
        height_px, width_px = image.shape[:2]
        return find_boxes(output[0, 0], self._rule, width_px=width_px, height_px=height_px)


def _check_form(manifest: ModelManifest) -> None:
    """Refuse what was evaluated in 8 bits: here it would read what nobody has tested."""
    if manifest.served_form == INT8_MODEL:
        raise BadData(
            f"{manifest.name}:{manifest.version} is read in 8 bits, which the engine onnxruntime "
            "alone does: serve it with OCRLINE_ENGINE=onnxruntime, or retrain it with int8: false"
        )
