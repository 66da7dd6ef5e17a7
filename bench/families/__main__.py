"""PP-OCR's recognisers, untrained, in all forms: ``python -m bench.families [NET …]``.

Needs PaddleOCR's tree and runtime (docs/guide/paddleocr.md). Each net is exported by PaddleOCR's
tools as a training exports it, converted to ONNX, and compared on noise. Prints which forms there
are, the largest difference between their probabilities, and of what spread these are, what the net
takes, its size, and the CPU time of a line of 320 px by ONNX Runtime on one thread.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from configs.jobs import PaddleOcrRuntime, TrainPaddleOcrRecogniserJob
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.training import ResourceParams
from ocr.errors import OcrError
from ocr.models.charset import Charset
from tasks.engine import find_runtime
from training.environment import prepare_environment
from training.forms.onnx import export_onnx
from training.forms.predictor import Predictor
from training.forms.static_graph import PARAMETERS
from training.loop.guards import StopRequest
from training.paddleocr.checkpoint import LEGACY, LEGACY_MODEL, PADDLE, load_net
from training.paddleocr.config import Config, JobFiles, write_config
from training.paddleocr.exporting import export_forms
from training.paddleocr.recognition.config import FAMILIES, make_config, read_upstream
from training.paddleocr.recognition.inspection import find_spec
from training.paddleocr.tool.process import run_aside

CHARACTERS = "0123456789"
WIDTH_PX = 320
RUNS = 5

START = """
import sys, paddle, yaml
home, config_path, classes, weights = sys.argv[1:]
sys.path.insert(0, home)
from ppocr.modeling.architectures import build_model
net = yaml.safe_load(open(config_path))["Architecture"]
n = int(classes)
net["Head"]["out_channels"] = n
net["Head"]["out_channels_list"] = {
    "CTCLabelDecode": n, "SARLabelDecode": n + 2, "NRTRLabelDecode": n + 3
}
paddle.seed(0)
model = build_model(net)
for layer in model.backbone.sublayers():
    if hasattr(layer, "_momentum"):
        layer._momentum = 0.0
model.backbone.train()
model.backbone(paddle.rand([2, 3, 48, 320]) * 2 - 1)
paddle.save(model.state_dict(), weights)
"""
"""Run in PaddleOCR's interpreter: random weights, and statistics by which noise stays small."""

Run = Callable[[NDArray[np.float32]], NDArray[np.float32]]


@dataclass(frozen=True)
class Measured:
    """A net's row.

    Attributes:
        forms: Those that there are.
        difference: The largest between the probabilities of any and PaddleOCR's own form.
        spread: Standard deviation of these probabilities; near 0 it says little.
        takes: What it takes, in words.
        size_mb: Of the ONNX file.
        cpu_ms: Of a line.
    """

    forms: tuple[str, ...]
    difference: float
    spread: float
    takes: str
    size_mb: float
    cpu_ms: float


def main(*names: str) -> None:
    """Print a row of each net, or why it has none."""
    prepare_environment()
    try:
        runtime = find_runtime()
    except OcrError as error:
        print(f"Skipped: {error}")
        return
    table = Table("net", "forms", "difference", "of", "takes", "MB", "CPU ms a line")
    for name in names or FAMILIES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                row = _measure(name, Path(folder), runtime)
            except OcrError as error:
                table.add_row(name, f"none: {error}")
                continue
        numbers = (
            f"{row.difference:.0e}",
            f"{row.spread:.2f}",
            row.takes,
            f"{row.size_mb:.1f}",
            f"{row.cpu_ms:.0f}",
        )
        table.add_row(name, ", ".join(row.forms), *numbers)
    Console(width=120).print(table)


def _measure(name: str, folder: Path, runtime: PaddleOcrRuntime) -> Measured:
    checkpoint = folder / "checkpoint"
    job = _job(name, runtime)
    config = _config(job, folder)
    weights = _start(job, folder, config)
    export_forms(job, checkpoint, config=config, weights=weights, stop=StopRequest())
    spec = find_spec(job, checkpoint, config).input
    shape = (1, 3, spec.height_px, WIDTH_PX)
    x = np.random.default_rng(0).uniform(-1, 1, shape).astype(np.float32)
    expected = load_net(checkpoint, onednn=False)(x)
    model = folder / "onnx" / "model.onnx"
    export_onnx(checkpoint / PADDLE, model, dimensions="NTC")
    onnx = _load_onnx(model)
    legacy = checkpoint / LEGACY
    serving = Predictor(legacy / LEGACY_MODEL, legacy / PARAMETERS, onednn=False)
    found = {LEGACY: serving(x), "onnx": onnx(x)}
    return Measured(
        forms=(PADDLE, *found),
        difference=max(float(np.abs(each - expected).max()) for each in found.values()),
        spread=float(expected.std()),
        takes=f"{spec.height_px} px high, a frame per {spec.frame_px} px",
        size_mb=model.stat().st_size / 1e6,
        cpu_ms=min(_cpu_ms(onnx, x) for _ in range(RUNS)),
    )


def _start(job: TrainPaddleOcrRecogniserJob, folder: Path, config: Config) -> Path:
    """Return the weights of an untrained net, without suffix."""
    script, written, weights = folder / "start.py", folder / "start.yml", folder / "start"
    script.write_text(START, encoding="utf-8")
    write_config(written, config)
    classes = str(len(CHARACTERS) + 1)
    tool = [str(script), job.runtime.home, str(written), classes, f"{weights}.pdparams"]
    run_aside(job, [tool], log=folder / "start.log", stop=StopRequest())
    return weights


def _job(name: str, runtime: PaddleOcrRuntime) -> TrainPaddleOcrRecogniserJob:
    return TrainPaddleOcrRecogniserJob(
        store="",
        snapshot="",
        training=PaddleOcrRecogniserParams(net=name, width_px=WIDTH_PX),
        resources=ResourceParams(),
        runtime=runtime,
    )


def _config(job: TrainPaddleOcrRecogniserJob, folder: Path) -> Config:
    files = JobFiles.of(folder)
    files.data.mkdir()
    Charset(tuple(CHARACTERS)).write(files.charset)
    upstream = read_upstream(Path(job.runtime.home), job.training.net)
    return make_config(upstream, job.training, files=files, lines=1, gpu=False)


def _load_onnx(path: Path) -> Run:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3  # it warns of initializers that nothing uses
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    (feed,) = session.get_inputs()
    return lambda x: np.asarray(session.run(None, {feed.name: x})[0], dtype=np.float32)


def _cpu_ms(run: Run, x: NDArray[np.float32]) -> float:
    begun = time.process_time()
    run(x)
    return (time.process_time() - begun) * 1000


if __name__ == "__main__":
    main(*sys.argv[1:])
