"""One process of Paddle Serving: what it listens on, what it refuses, when it ends."""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import grpc
import numpy as np
import psutil
import pytest

from ocr.errors import BadInput, ProcessDied
from serving.engines.pipeline_messages import METHOD, Request, Response
from serving.engines.pipeline_process import PipelineProcess
from tests.serving.engines.conftest import Start

pytestmark = pytest.mark.timeout(180)

HOLDER = """
import sys, time
from pathlib import Path
from serving.engines.pipeline_process import PipelineProcess
process = PipelineProcess(Path(sys.argv[1]), Path(sys.argv[2]), version="v1")
process.wait_until_up()
print(process.pid, process.socket, flush=True)
time.sleep(600)
"""
X = np.zeros((1, 3, 32, 64), np.float32)


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return os.mkdir, (str(self._file),)


def test_it_listens_on_no_address(start: Start) -> None:
    process = start()
    process.wait_until_up()

    try:
        assert psutil.Process(process.pid).net_connections("inet") == []
        assert process.socket.parent.stat().st_mode & 0o777 == 0o700
        assert process.run(X, timeout_s=10).shape[0] == 1
    finally:
        process.end()
    assert not process.socket.parent.exists()


def test_only_float32_by_its_bytes_is_taken(start: Start, tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    array = np.array([Trap(trap)], dtype=object)
    pickled = tmp_path / "array.npy"
    with pickled.open("wb") as file:
        np.save(file, array, allow_pickle=True)
    byte_data = X.tobytes()
    process = start()
    process.wait_until_up()

    try:
        with grpc.insecure_channel(f"unix:{process.socket}") as channel:
            said = [
                ask(channel, elem_type=13, shape=[1], byte_data=pickled.read_bytes()),
                ask(channel, elem_type=0, shape=X.shape, byte_data=byte_data),
                ask(channel, elem_type=1, shape=[1, 3, 32, 65], byte_data=byte_data),
                ask(channel, elem_type=1, shape=[2**30, 2**30, 2**30], byte_data=b""),
                ask(channel, elem_type=1, shape=[-1, -3, 32, 64], byte_data=byte_data),
                ask(channel, elem_type=1, shape=[], byte_data=b""),
                ask(channel, count=0),
                ask(channel, count=2, elem_type=1, shape=X.shape, byte_data=byte_data),
                ask(channel, elem_type=1, shape=X.shape, byte_data=byte_data),
            ]
    finally:
        process.end()

    assert said == [5002, 5002, 5003, 5003, 5003, 5003, 5001, 5001, 0]
    assert not trap.exists()
    pickle.loads(pickle.dumps(Trap(trap)))
    assert trap.exists()  # it was one


def test_it_ends_with_who_started_it_however_that_ends(python: Path, lines: Path) -> None:
    words = [sys.executable, "-c", HOLDER, str(python), str(lines)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        pid, _, socket = holder.stdout.readline().strip().partition(" ")
        service = psutil.Process(int(pid))
        holder.send_signal(signal.SIGKILL)

    assert psutil.wait_procs([service], timeout=60)[1] == []
    assert not Path(socket).parent.exists()


def test_one_that_was_ended_gives_no_answer(start: Start) -> None:
    process = start()
    process.wait_until_up()
    process.end()

    with pytest.raises(ProcessDied, match="Paddle Serving was ended"):
        process.run(X, timeout_s=10)


def test_a_folder_whose_path_is_too_long_for_a_socket_is_named(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("long" * 30)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))

    with pytest.raises(BadInput, match="is too long a path for a socket"):
        start()

    assert list(long.iterdir()) == []


def test_it_gets_no_secret(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCRLINE_TOKEN", "hush")
    monkeypatch.setenv("MINIO_SECRET_KEY", "hush")
    process: PipelineProcess = start()

    try:
        assert "hush" not in psutil.Process(process.pid).environ().values()
    finally:
        process.end()


def ask(channel: grpc.Channel, *, count: int = 1, **tensor: object) -> int:
    request = Request()
    for _ in range(count):
        request.tensors.add(name="x", **tensor)
    call = channel.unary_unary(
        METHOD,
        request_serializer=Request.SerializeToString,
        response_deserializer=Response.FromString,
    )
    return int(call(request, timeout=30).err_no)
