"""Recognisers: images in, texts out. The ONNX Runtime one is what serves."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.image.pixels import Image
from ocr.models.bundle import CHARSET, ONNX_MODEL, read_recogniser_bundle
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from ocr.models.text_model import TextModel
from ocr.reading.cores import ONE_CORE, Cores
from ocr.reading.onnx_session import open_session
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.decoder import Decoder, read_text_model
from ocr.reading.recognition.line_input import (
    batches_by_width,
    fit_line,
    fitted_width_px,
    frame_count,
    to_line_batch,
)

BATCH_WIDTH_PX = 2048
"""Total width of a batch of several images, padding included: bounds memory, fits the caches."""

Probabilities = NDArray[np.float32]


class Recogniser(Protocol):
    """Anything that reads text-line images."""

    @property
    def name(self) -> str:
        """What reads, for reports and logs."""

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        """Read (H, W, 3) BGR images of any size, in their order."""


@dataclass(frozen=True)
class LabelCheck:
    """What was read of an image, and what the net thinks of its label, in nats.

    Attributes:
        reading: What was read.
        doubt: Minus the logarithm of the label's probability.
        contradiction: Logarithm of how much more probable what was read is than the label.
        unknown: Characters of the label that the charset lacks, once each: none can be read.
    """

    reading: Recognition
    doubt: float
    contradiction: float
    unknown: str


class OnnxRecogniser:
    """Reads with a bundle's ONNX form on the CPU; safe to share between threads."""

    def __init__(
        self,
        model: bytes,
        *,
        charset: Charset,
        spec: LineSpec,
        name: str,
        text_model: TextModel | None = None,
        cores: Cores = ONE_CORE,
    ) -> None:
        """Load a model.

        Args:
            model: Content of an ONNX file with the input ``x``.
            charset: Its classes from 1.
            spec: Its input.
            name: For reports and logs.
            text_model: What the texts are like; None: read greedily.
            cores: Idle ones of these read further batches of a call.

        Raises:
            BadData: The model cannot be loaded, or does not fit the charset or the input.
        """
        self.name = name
        self._charset = charset
        self._decoder = Decoder(charset, text_model)
        self._spec = spec
        self._session = open_session(model, name=name, threads=1)
        self._cores = cores
        self._check_fit()

    @classmethod
    def load(
        cls, bundle: Path, *, cores: Cores = ONE_CORE, plain: bool = False
    ) -> "OnnxRecogniser":
        """Load a bundle after verifying every file of it.

        Args:
            bundle: Its folder.
            cores: Idle ones of these read further batches of a call.
            plain: Read as its forms do in other runtimes: in float32, without its text model.

        Raises:
            ArtifactNotFound: It is no bundle or lacks a file.
            BadData: A file is damaged, or the model does not fit the charset or the input.
        """
        manifest = read_recogniser_bundle(bundle)
        return cls(
            (bundle / (ONNX_MODEL if plain else manifest.served_form)).read_bytes(),
            charset=Charset.read(bundle / CHARSET),
            spec=manifest.input,
            name=f"{manifest.name}:{manifest.version}",
            text_model=None if plain else read_text_model(bundle, manifest),
            cores=cores,
        )

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        """Read (H, W, 3) BGR images of any size, in their order."""
        return decode_outputs(self._decoder, self._run(images), images=images, spec=self._spec)

    def check(self, images: Sequence[Image], labels: Sequence[str]) -> list[LabelCheck]:
        """Read (H, W, 3) BGR images of any size, and weigh the label of each."""
        found = {index: self._check(frames, labels[index]) for index, frames in self._run(images)}
        return [found[index] for index in range(len(images))]

    def probabilities(self, images: Sequence[Image]) -> list[Probabilities]:
        """Return (T, C) per image, T the frames of its width; class 0 is the blank."""
        found = dict(self._run(images))
        return [found[index] for index in range(len(images))]

    def _check(self, frames: Probabilities, label: str) -> LabelCheck:
        reading = self._decoder.decode(frames)
        read, labelled = (self._decoder.log_likelihood(frames, t) for t in (reading.text, label))
        return LabelCheck(
            reading,
            doubt=-labelled,
            contradiction=max(0.0, read - labelled),
            unknown="".join(dict.fromkeys(self._charset.unknown(label))),
        )

    def _run(self, images: Sequence[Image]) -> Iterator[tuple[int, Probabilities]]:
        return run_in_batches(
            lambda x: self._session.run(None, {"x": x})[0],
            images=images,
            spec=self._spec,
            cores=self._cores,
        )

    def _check_fit(self) -> None:
        inputs = {node.name: node.shape for node in self._session.get_inputs()}
        spec = self._spec
        expected = [3, spec.height_px, *([spec.width_px] if spec.layout == "fixed" else [])]
        if list(inputs) != ["x"] or inputs["x"][1 : 1 + len(expected)] != expected:
            raise BadData(f"{self.name} takes {inputs}, expected x of (N, {expected}…)")
        outputs = self._session.get_outputs()
        if len(outputs) != 1 or outputs[0].shape[-1] != self._charset.size:
            raise BadData(
                f"{self.name} gives {[node.shape for node in outputs]}, expected "
                f"{self._charset.size} classes: {CHARSET} belongs to another model"
            )


def decode_outputs(
    decoder: Decoder,
    outputs: Iterable[tuple[int, Probabilities]],
    *,
    images: Sequence[Image],
    spec: LineSpec,
) -> list[Recognition]:
    """Return what images read, in their order.

    Args:
        decoder: Reads the outputs.
        outputs: As `run_in_batches` yields them.
        images: (H, W, 3) BGR each.
        spec: The input of the net.
    """
    read: dict[int, Recognition] = {}
    for index, frames in outputs:
        image_frames = fitted_width_px(images[index], spec) / spec.frame_px
        read[index] = decoder.decode(frames, image_frames=image_frames)
    return [read[index] for index in range(len(images))]


def run_in_batches(
    run: Callable[[NDArray[np.float32]], Probabilities],
    *,
    images: Sequence[Image],
    spec: LineSpec,
    cores: Cores = ONE_CORE,
) -> Iterator[tuple[int, Probabilities]]:
    """Run a net over images of any size, similar widths together.

    Args:
        run: The net, (N, 3, H, W) to (N, T, C).
        images: (H, W, 3) BGR each.
        spec: The input of the net.
        cores: Idle ones run further batches meanwhile; the batches stay the same.

    Yields:
        Index of an image and its (T, C), T the frames of its width; in no order.
    """
    fitted = [fit_line(image, spec) for image in images]
    widths_px = [image.shape[1] for image in fitted]

    def run_batch(batch: list[int]) -> Probabilities:
        return run(to_line_batch([fitted[index] for index in batch], spec))

    batches = list(batches_by_width(widths_px, spec=spec, budget_px=BATCH_WIDTH_PX))
    for batch, output in cores.each(run_batch, batches):
        for index, frames in zip(batch, output, strict=True):
            yield index, frames[: frame_count(widths_px[index], spec)]
