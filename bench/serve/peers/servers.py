"""The servers that are measured: each started for a while, and what it is asked."""

import base64
import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from bench.serve.gateway import running_gateway
from bench.serve.peers.wrk import Questions
from configs.settings import SettingsError
from deploy.ports import pick_port
from ocr.image.pixels import decode_image, encode_jpeg
from ocr.models.golden import read_golden_inputs
from ocr.reading.recognition.recogniser import OnnxRecogniser

START_S = 120
PIPELINE = Path(__file__).with_name("paddle_serving_pipeline.py")
PipelineSettings = Literal["paddleocr", "fastest"]
JSON = {"Content-Type": "application/json"}
THREADS = 2
MAX_PIXELS = 20_000_000
MOST_IMAGES = 200


@dataclass(frozen=True)
class Running:
    """A server that answers.

    Attributes:
        port: Where.
        process: With its children, what its processor time and memory are.
        questions: What it is asked.
    """

    port: int
    process: psutil.Process
    questions: Questions


@dataclass(frozen=True)
class Crop:
    """An encoded image, and what the bare recogniser reads on it, also without its text model."""

    content: bytes
    text: str
    greedy: str


def read_crops(bundle: Path, folder: Path | None = None) -> list[Crop]:
    """Return JPEG crops, of a folder or a recogniser's golden ones, and what they read."""
    if folder:
        contents = [path.read_bytes() for path in sorted(folder.glob("*.jpg"))[:MOST_IMAGES]]
    else:
        contents = [encode_jpeg(image) for image in read_golden_inputs(bundle)]
    images = [decode_image(content, max_pixels=MAX_PIXELS) for content in contents]
    read, greedy = (
        [line.text for line in OnnxRecogniser.load(bundle, plain=plain).recognise(images)]
        for plain in (False, True)
    )
    return [Crop(*each) for each in zip(contents, read, greedy, strict=True)]


@contextmanager
def gateway(store: str, name: str, engine: str, crops: Sequence[Crop]) -> Iterator[Running]:
    """Run ours."""
    asks = [(crop.content, _said(crop.text)) for crop in crops]
    questions = Questions("/v1/recognize", {"Content-Type": "image/jpeg"}, asks)
    with (
        tempfile.TemporaryDirectory() as home,
        running_gateway(Path(home), store=store, models=name, engine=engine) as ours,
    ):
        yield Running(ours.port, ours.process, questions)


@contextmanager
def paddle_serving(
    python: Path, bundle: Path, crops: Sequence[Crop], settings: PipelineSettings
) -> Iterator[Running]:
    """Run Paddle Serving's own server, with settings that `paddle_serving_pipeline` knows.

    Raises:
        SettingsError: Others would reach it.
    """
    if set(psutil.net_if_addrs()) != {"lo"}:
        raise SettingsError(
            "Paddle Serving listens on every address: measure where there is only loopback, with "
            "unshare --net sh -c 'ip link set lo up && python -m bench.serve.peers ...'"
        )
    port = pick_port(0)
    asks = [(_keyed(crop.content), _said(crop.greedy)) for crop in crops]
    words = [str(python), str(PIPELINE), str(bundle), str(port), settings]
    with _running(words) as process:
        questions = Questions("/ocr/prediction", JSON, asks)
        _wait(lambda: _post(port, questions), process)
        yield Running(port, process, questions)


@contextmanager
def paddlex(
    command: Path, detector: Path, recogniser: Path, crops: Sequence[Crop]
) -> Iterator[Running]:
    """Run PaddleX's server, which has no pipeline of lines alone: its detector looks for them."""
    port = pick_port(0)
    asks = [
        (
            json.dumps({"file": _base64(crop.content), "fileType": 1, "visualize": False}).encode(),
            b'"errorCode":0',
        )
        for crop in crops
    ]
    with tempfile.TemporaryDirectory() as folder:
        pipeline = Path(folder) / "pipeline.yaml"
        pipeline.write_text(
            json.dumps(_paddlex_pipeline(detector, recogniser)), "utf-8"
        )  # JSON is YAML
        words = [str(command), "--serve", "--pipeline", str(pipeline), "--device", "cpu"]
        words += ["--host", "127.0.0.1", "--port", str(port)]
        quiet = {"PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True"}  # it asks who has models
        with _running(words, HOME=folder, PADDLE_PDX_CACHE_HOME=folder, **quiet) as process:
            questions = Questions("/ocr", JSON, asks)
            _wait(lambda: _post(port, questions), process)
            yield Running(port, process, questions)


def _paddlex_pipeline(detector: Path, recogniser: Path) -> Mapping[str, object]:
    def model(bundle: Path, task: str) -> dict[str, object]:
        text = (bundle / "paddle/inference.yml").read_text("utf-8")
        (name,) = (
            line.partition(":")[2].strip()
            for line in text.splitlines()
            if line.startswith("  model_name:")
        )
        return {"module_name": task, "model_name": name, "model_dir": str(bundle / "paddle")}

    boxes: dict[str, object] = {  # as its pipeline `OCR` comes
        "limit_side_len": 64,
        "limit_type": "min",
        "max_side_limit": 4000,
        "thresh": 0.3,
        "box_thresh": 0.6,
        "unclip_ratio": 1.5,
    }
    return {
        "pipeline_name": "OCR",
        "text_type": "general",
        "use_doc_preprocessor": False,
        "use_textline_orientation": False,
        "engine": "paddle_static",
        "engine_config": {"run_mode": "mkldnn", "cpu_threads": THREADS},
        "SubModules": {
            "TextDetection": {**model(detector, "text_detection"), **boxes},
            "TextRecognition": {
                **model(recogniser, "text_recognition"),
                "batch_size": 6,
                "score_thresh": 0.0,
            },
        },
    }


@contextmanager
def _running(words: Sequence[str], **variables: str) -> Iterator[psutil.Process]:
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            words,
            cwd=folder,
            env={**os.environ, **variables},
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            yield psutil.Process(process.pid)
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # Paddle Serving's proxy outlives it otherwise
            process.wait()


def _wait(is_up: Callable[[], bool], process: psutil.Process) -> None:
    end = time.monotonic() + START_S
    while not is_up():
        if time.monotonic() > end or process.status() == psutil.STATUS_ZOMBIE:
            raise RuntimeError(f"{process.name()} does not answer; its log is above")
        time.sleep(0.2)


def _post(port: int, questions: Questions) -> bool:
    body, _ = questions.asks[0]
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{questions.path}", data=body, headers=dict(questions.headers)
    )
    try:
        with urllib.request.urlopen(request, timeout=START_S) as reply:  # noqa: S310
            return bool(reply.status == 200)
    except OSError:
        return False


def _keyed(content: bytes) -> bytes:
    return json.dumps({"key": ["image"], "value": [_base64(content)]}).encode()


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _said(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False).encode()
