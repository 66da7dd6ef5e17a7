"""Reads with a bundle's Paddle form through Paddle Inference and oneDNN, on the CPU."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
import paddle
from numpy.typing import NDArray
from paddle import inference

from ocr.errors import BadData
from ocr.image.pixels import Image
from ocr.models.bundle import CHARSET, read_recogniser_bundle
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from ocr.models.text_model import TextModel
from ocr.reading.cores import ONE_CORE, Cores
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.decoder import Decoder, read_text_model
from ocr.reading.recognition.recogniser import run_in_batches

# Paddle's import takes SIGTERM for itself, and its handler may hang: give the signals back.
paddle.disable_signal_handler()

ONEDNN_SHAPES = 64
"""oneDNN keeps compiled kernels per input shape; without a limit lines of all widths pile up."""


class PaddleRecogniser:
    """A recogniser over clones of one predictor, each lent to one call at a time.

    A predictor that two threads share answers one with the other's result, silently.
    """

    def __init__(
        self,
        predictor: Any,
        *,
        predictors: int,
        charset: Charset,
        text_model: TextModel | None,
        spec: LineSpec,
        name: str,
        cores: Cores = ONE_CORE,
    ) -> None:
        self._name = name
        self._charset = charset
        self._decoder = Decoder(charset, text_model)
        self._spec = spec
        self._cores = cores
        self._idle: SimpleQueue[Any] = SimpleQueue()
        for clone in (predictor, *(predictor.clone() for _ in range(predictors - 1))):
            self._idle.put(clone)

    @classmethod
    def load(
        cls, bundle: Path, *, predictors: int = 1, cores: Cores = ONE_CORE
    ) -> "PaddleRecogniser":
        """Load a bundle's ``paddle/`` form after verifying every file.

        Args:
            bundle: Its folder.
            predictors: Batches that may run at the same time; the others wait.
            cores: Idle ones read further batches of a call.

        Raises:
            BadData: A file is damaged, or the model does not fit the charset.
        """
        manifest = read_recogniser_bundle(bundle)
        name = f"{manifest.name}:{manifest.version}"
        charset = Charset.read(bundle / CHARSET)
        try:
            predictor = inference.create_predictor(_configure(bundle))
        except (RuntimeError, ValueError, OSError) as error:
            first_line = str(error).strip().partition("\n")[0]
            raise BadData(f"{name} has no usable Paddle model: {first_line}") from error
        return cls(
            predictor,
            predictors=predictors,
            charset=charset,
            text_model=read_text_model(bundle, manifest),
            spec=manifest.input,
            name=name,
            cores=cores,
        )

    @property
    def name(self) -> str:
        """The version that reads."""
        return self._name

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        """Read (H, W, 3) BGR images of any size, in their order."""
        frames = run_in_batches(self._run, images=images, spec=self._spec, cores=self._cores)
        read = {index: self._decoder.decode(kept) for index, kept in frames}
        return [read[index] for index in range(len(images))]

    def _run(self, batch: NDArray[np.float32]) -> NDArray[np.float32]:
        with self._lent() as predictor:
            predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(batch)
            predictor.run()
            output = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
        if output.shape[-1] != self._charset.size:
            raise BadData(
                f"{self._name} gives {output.shape[-1]} classes, {CHARSET} has {self._charset.size}"
            )
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
    config = inference.Config(str(folder / "inference.json"), str(folder / "inference.pdiparams"))
    config.disable_gpu()
    config.enable_mkldnn()
    config.set_mkldnn_cache_capacity(ONEDNN_SHAPES)
    config.set_cpu_math_library_num_threads(1)
    config.disable_glog_info()
    config.enable_new_ir(True)  # as stock paddleocr runs inference.json
    config.enable_new_executor()
    return config
