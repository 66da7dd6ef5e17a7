"""Processes of a real Paddle Serving read as the bundle promises, and are replaced when lost."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from ocr.errors import BadData
from ocr.image.pixels import Image
from ocr.models.golden import read_golden_inputs
from ocr.reading.cores import ONE_CORE
from ocr.reading.detection.detector import OnnxDetector
from ocr.reading.recognition.recogniser import OnnxRecogniser
from serving.engines import paddle_serving
from serving.engines.net_readers import NetDetector, NetRecogniser
from serving.engines.paddle_serving import PaddleServingNet
from serving.engines.pipeline_process import PipelineProcess
from tests.serving.engines.conftest import Start
from tests.training.export.line_store import blotches

pytestmark = pytest.mark.timeout(180)

ENDING = """
import os, signal, sys, time
from pathlib import Path
from serving.engines import paddle_serving
from serving.engines.paddle_serving import PaddleServingNet
from serving.engines.pipeline_process import PipelineProcess
paddle_serving.PROBE_S = 0.2
net = PaddleServingNet(
    lambda: PipelineProcess(Path(sys.argv[1]), Path(sys.argv[2]), version="v1"), processes=1
)
sys.argv[1] = "/none"
os.kill(net.pids[0], signal.SIGKILL)
time.sleep(1)
print("ends", flush=True)
"""


def test_lines_of_all_widths_read_as_in_onnx(lines: Path, start: Start) -> None:
    images = [*read_golden_inputs(lines), *(blotches(number) for number in range(40))]
    recogniser = NetRecogniser(lines, PaddleServingNet(start, processes=1), cores=ONE_CORE)
    expected = OnnxRecogniser.load(lines).recognise(images)

    together = recogniser.recognise(images)
    alone = [recogniser.recognise([image])[0] for image in images]

    assert [each.text for each in together] == [each.text for each in expected]
    assert [each.text for each in alone] == [each.text for each in expected]
    assert len({each.text for each in expected}) > len(images) / 2
    np.testing.assert_allclose(
        [each.confidence for each in together], [each.confidence for each in expected], atol=1e-4
    )


def test_boxes_are_those_of_onnx(pages: Path, python: Path) -> None:
    (page, *_) = read_golden_inputs(pages)
    net = PaddleServingNet(lambda: PipelineProcess(python, pages, version="pages:v1"), processes=1)

    found, expected = NetDetector(pages, net).detect(page), OnnxDetector.load(pages).detect(page)

    assert len(found.boxes) > 1
    np.testing.assert_allclose(found.boxes, expected.boxes, atol=0.01)


def test_threads_never_get_each_others_answers(lines: Path, start: Start) -> None:
    recogniser = NetRecogniser(lines, PaddleServingNet(start, processes=2), cores=ONE_CORE)
    images = [blotches(number) for number in range(60)]
    expected = [each.text for each in OnnxRecogniser.load(lines).recognise(images)]

    assert read_at_once(recogniser, images) == expected


def test_a_killed_process_loses_no_answer_and_is_replaced(lines: Path, start: Start) -> None:
    net = PaddleServingNet(start, processes=2)
    recogniser = NetRecogniser(lines, net, cores=ONE_CORE)
    images = [blotches(number) for number in range(200)]
    expected = [each.text for each in OnnxRecogniser.load(lines).recognise(images)]
    before = net.pids

    with ThreadPoolExecutor(1) as killer:
        killer.submit(kill_soon, before[0])
        read = read_at_once(recogniser, images)

    assert read == expected
    wait_until(lambda: len(net.pids) == 2 and before[0] not in net.pids)
    assert read_at_once(recogniser, images[:20]) == expected[:20]


def test_a_process_that_hangs_while_idle_is_replaced(
    lines: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paddle_serving, "PROBE_S", 0.2)
    monkeypatch.setattr(paddle_serving, "PROBE_ANSWER_S", 5.0)
    net = PaddleServingNet(start, processes=1)
    recogniser = NetRecogniser(lines, net, cores=ONE_CORE)
    (expected,) = recogniser.recognise([blotches(1)])
    (hung,) = net.pids

    os.kill(hung, signal.SIGSTOP)

    wait_until(lambda: net.pids not in ([], [hung]))
    assert recogniser.recognise([blotches(1)]) == [expected]


def test_a_request_that_meets_a_hung_process_is_read_by_another(
    lines: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paddle_serving, "PROBE_S", 1000)
    monkeypatch.setattr(paddle_serving, "ANSWER_S", 10.0)
    net = PaddleServingNet(start, processes=2)
    recogniser = NetRecogniser(lines, net, cores=ONE_CORE)
    (expected,) = recogniser.recognise([blotches(1)])

    os.kill(net.pids[0], signal.SIGSTOP)

    assert [recogniser.recognise([blotches(1)]) for _ in range(4)] == [[expected]] * 4


def test_a_model_that_does_not_load_ends_its_own_process_alone(
    lines: Path, python: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(lines, broken)
    parameters = broken / "serving/inference.pdiparams"
    parameters.write_bytes(parameters.read_bytes()[: parameters.stat().st_size // 2])

    with pytest.raises(BadData, match="does not load broken"):
        PaddleServingNet(lambda: PipelineProcess(python, broken, version="toy:v1"), processes=2)


def test_what_no_net_takes_is_refused_and_the_next_is_read(start: Start) -> None:
    net = PaddleServingNet(start, processes=1)
    right = np.zeros((1, 3, 32, 64), np.float32)
    before, pids = net(right), net.pids

    with pytest.raises(BadData, match="Paddle Serving refused a batch with"):
        net(np.zeros((1, 1, 8, 8), np.float32))

    np.testing.assert_array_equal(net(right), before)
    assert net.pids == pids


def test_a_process_that_refuses_its_probe_is_replaced(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paddle_serving, "PROBE_S", 0.2)
    net = PaddleServingNet(start, processes=1)
    net(np.zeros((1, 3, 32, 64), np.float32))
    before, refused = net.pids, threading.Event()
    run = PipelineProcess.run

    def refuse_once(process: PipelineProcess, batch: Any, *, timeout_s: float) -> Any:
        if not refused.is_set():
            refused.set()
            raise BadData("refused")
        return run(process, batch, timeout_s=timeout_s)

    monkeypatch.setattr(PipelineProcess, "run", refuse_once)

    wait_until(lambda: net.pids not in ([], before))
    assert net(np.zeros((1, 3, 32, 64), np.float32)).size


def test_what_hinders_a_start_for_a_while_does_not_hinder_the_next(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paddle_serving, "PROBE_S", 0.2)
    faults = [OSError("no space left"), BadData("it does not load")]
    ready = threading.Event()

    def start_or_fail() -> PipelineProcess:
        if ready.is_set() and faults:
            raise faults.pop()
        return start()

    net = PaddleServingNet(start_or_fail, processes=1)
    before = net.pids
    ready.set()
    os.kill(before[0], signal.SIGKILL)

    wait_until(lambda: net.pids not in ([], before))
    assert faults == []
    assert net(np.zeros((1, 3, 32, 64), np.float32)).size


def test_python_ends_while_a_process_cannot_be_replaced(python: Path, lines: Path) -> None:
    script = [sys.executable, "-c", ENDING, str(python), str(lines)]

    ended = subprocess.run(script, capture_output=True, text=True, timeout=60, check=False)

    assert (ended.returncode, ended.stdout) == (0, "ends\n"), ended.stderr


def test_processes_end_when_nobody_holds_the_net(start: Start) -> None:
    net = PaddleServingNet(start, processes=2)
    processes = [psutil.Process(pid) for pid in net.pids]

    del net

    assert psutil.wait_procs(processes, timeout=30)[1] == []


def read_at_once(recogniser: NetRecogniser, images: list[Image]) -> list[str]:
    with ThreadPoolExecutor(6) as threads:
        return list(threads.map(lambda image: recogniser.recognise([image])[0].text, images))


def kill_soon(process: int) -> None:
    time.sleep(0.2)
    os.kill(process, signal.SIGKILL)


def wait_until(is_so: Callable[[], object], *, timeout_s: float = 60) -> None:
    deadline = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)
