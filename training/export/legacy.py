"""Exports the form that Paddle Serving loads, in a process of its own.

    FLAGS_enable_pir_api=0 python -m training.export.legacy KIND CHECKPOINT BUNDLE READING.npz

The flag counts only before paddle is imported, and the other forms need it off.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from configs.jobs import ExportKind
from ocr.errors import OcrError
from ocr.models.bundle import SERVING_FOLDER
from ocr.models.golden import read_golden_inputs
from training.environment import prepare_environment
from training.forms.parity import Probabilities
from training.forms.serving_config import FEED, FETCH, Variable, format_serving_config

MODEL = "inference.pdmodel"
CONFIGS = ("serving_server_conf.prototxt", "serving_client_conf.prototxt")
TIMEOUT_S = 300


class LegacyExportFailed(OcrError, RuntimeError):
    """A legacy export that died; its log says why."""


class LegacyExport:
    """The export under way in its process; the caller goes on meanwhile.

    Args:
        kind: Kind of the export job.
        checkpoint: Folder of the checkpoint.
        bundle: Folder that gets `serving/`; its golden inputs must be there.
        work: Folder for the log and for what the form reads.
    """

    def __init__(self, kind: ExportKind, checkpoint: Path, bundle: Path, work: Path) -> None:
        self._reading = work / "legacy.npz"
        self._log = work / "legacy.log"
        self._reading.unlink(missing_ok=True)
        paths = (checkpoint, bundle, self._reading)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, kind, *map(str, paths)],
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

    def wait(self) -> list[Probabilities]:
        """Return the probabilities that the form gives each golden image.

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
            return [stored[str(index)] for index in range(len(stored.files))]


def main(kind: ExportKind, checkpoint: Path, bundle: Path, reading: Path) -> None:
    """Export, then read the golden inputs with what was written."""
    prepare_environment()
    import paddle

    from training.export.kinds import load_export
    from training.forms.predictor import Predictor
    from training.forms.static_graph import PARAMETERS

    paddle.set_device("cpu")
    export = load_export(kind, checkpoint)
    folder = bundle / SERVING_FOLDER
    folder.mkdir()
    export.net.save(folder, legacy=True)
    text = _serving_config(folder / MODEL)
    for name in CONFIGS:
        (folder / name).write_text(text, encoding="utf-8")
    predictor = Predictor(folder / MODEL, folder / PARAMETERS, onednn=False)
    found = export.reader.infer(predictor, list(read_golden_inputs(bundle)))
    arrays = {str(index): probabilities for index, probabilities in enumerate(found)}
    np.savez(reading, allow_pickle=False, **arrays)


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
    export_kind: Any = sys.argv[1]
    main(export_kind, *(Path(argument) for argument in sys.argv[2:]))
