"""Exports the form that Paddle Serving loads, in a process of its own.

    FLAGS_enable_pir_api=0 python -m training.legacy_export CHECKPOINT BUNDLE READING.npz

The flag counts only before paddle is imported, and the other forms need it off.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ocr.bundle import SERVING_FOLDER
from ocr.errors import OcrError
from ocr.preprocess import InputSpec
from ocr.recogniser import run_in_batches
from training.environment import prepare_environment
from training.golden import read_golden_inputs
from training.serving_config import FEED, FETCH, Variable, format_serving_config

MODEL = "inference.pdmodel"
CONFIGS = ("serving_server_conf.prototxt", "serving_client_conf.prototxt")
TIMEOUT_S = 300


class LegacyExportFailed(OcrError, RuntimeError):
    """A legacy export that died; its log says why."""


class LegacyExport:
    """The export under way in its process; the caller goes on meanwhile.

    Args:
        checkpoint: Folder of the checkpoint.
        bundle: Folder that gets `serving/`; its golden inputs must be there.
        work: Folder of the log and of what the form reads.
    """

    def __init__(self, checkpoint: Path, bundle: Path, work: Path) -> None:
        self._reading = work / "legacy.npz"
        self._log = work / "legacy.log"
        self._reading.unlink(missing_ok=True)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(checkpoint), str(bundle), str(self._reading)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "FLAGS_enable_pir_api": "0"},
            )

    def __enter__(self) -> "LegacyExport":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def wait(self) -> dict[int, NDArray[np.float32]]:
        """Return what the form reads: probabilities (T, C) by golden image.

        Raises:
            LegacyExportFailed: It died or took too long.
        """
        try:
            status = self._process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            raise LegacyExportFailed(f"Legacy export: nothing in {TIMEOUT_S} s") from error
        if status != 0 or not self._reading.is_file():
            lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            reason = lines[-1] if lines else "it said nothing"
            raise LegacyExportFailed(f"Legacy export ended with status {status}: {reason}")
        with np.load(self._reading, allow_pickle=False) as stored:
            return {int(index): stored[index] for index in stored.files}


def main(checkpoint: Path, bundle: Path, reading: Path) -> None:
    """Export, then read the golden inputs with what was written."""
    prepare_environment()
    import paddle

    from training.checkpoint import load_checkpoint
    from training.predictor import Predictor
    from training.static_graph import PARAMETERS, save_static

    paddle.set_device("cpu")
    net, net_spec = load_checkpoint(checkpoint)
    spec = InputSpec(net_spec.layout, net_spec.height_px, net_spec.width_px)
    folder = bundle / SERVING_FOLDER
    folder.mkdir()
    save_static(net, spec, folder)
    text = _serving_config(folder / MODEL)
    for name in CONFIGS:
        (folder / name).write_text(text, encoding="utf-8")
    predictor = Predictor(folder / MODEL, folder / PARAMETERS, onednn=False)
    images = list(read_golden_inputs(bundle))
    frames = run_in_batches(predictor, images=images, spec=spec)
    np.savez(reading, allow_pickle=False, **{str(index): found for index, found in frames})


def _serving_config(model: Path) -> str:
    import paddle

    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    program, (feed,), (fetch,) = paddle.static.load_inference_model(
        str(model.with_suffix("")), executor
    )
    variables = [
        Variable(
            name=variable.name,
            alias=alias,
            dtype=str(variable.dtype).rpartition(".")[2],
            shape=tuple(variable.shape),
        )
        for variable, alias in ((program.global_block().var(feed), FEED), (fetch, FETCH))
    ]
    return format_serving_config(feed=variables[0], fetch=variables[1])


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:]))
