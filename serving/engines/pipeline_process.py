"""One process of Paddle Serving, which runs one net and answers at a socket file."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import grpc
import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData, BadInput, ProcessDied
from ocr.models.bundle import SERVING_FOLDER
from serving.engines.paddle_programs import check_serving_folder
from serving.engines.pipeline_messages import METHOD, Request, Response
from serving.settings import PASSED_ON

SERVICE = Path(__file__).parents[1] / "paddle_serving" / "service.py"
START_S = 60.0
POLL_S = 0.05
FLOAT32 = 1
MOST_BYTES = 256 * 2**20
THREADS = 1
LONGEST_SOCKET = 107
"""Bytes of its path, as Linux has it."""
QUIET = {"GLOG_minloglevel": "2", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"}


class PipelineProcess:
    """A process that ends with this one, however this one ends; one call at a time.

    Its socket lies in a folder that only this user may enter: it listens on no address.
    """

    def __init__(self, python: Path, bundle: Path, *, version: str) -> None:
        """Start it.

        Args:
            python: The interpreter with Paddle Serving.
            bundle: A bundle's folder, its files verified.
            version: What every answer is to name.

        Raises:
            BadData: Its program does more than compute.
            BadInput: The folder of temporary files is no place for a socket.
            OSError: It does not start.
        """
        check_serving_folder(bundle / SERVING_FOLDER)
        self._name = bundle.name
        self._version = version
        self._folder = Path(tempfile.mkdtemp(prefix="ocrline-"))
        self.socket = self._folder / "socket"
        model = str(bundle / SERVING_FOLDER)
        words = [str(python), "-u", str(SERVICE), model, str(self.socket), version, str(THREADS)]
        try:
            if len(os.fsencode(self.socket)) > LONGEST_SOCKET:
                raise BadInput(f"TMPDIR={self._folder.parent} is too long a path for a socket")
            self._process = subprocess.Popen(
                words,
                cwd=self._folder,
                env={name: os.environ[name] for name in PASSED_ON if name in os.environ} | QUIET,
                stdin=subprocess.PIPE,  # which ends when this process does
                stdout=subprocess.DEVNULL,
                stderr=sys.stderr,
                start_new_session=True,  # Paddle Serving kills its group where nothing loads
            )
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        sizes = [(f"grpc.max_{way}_message_length", MOST_BYTES) for way in ("send", "receive")]
        self._channel = grpc.insecure_channel(f"unix:{self.socket}", options=sizes)
        self._call = self._channel.unary_unary(
            METHOD,
            request_serializer=Request.SerializeToString,
            response_deserializer=Response.FromString,
        )

    @property
    def pid(self) -> int:
        """Its id."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it has not ended; it may hang."""
        return self._process.poll() is None

    def wait_until_up(self) -> None:
        """Wait until it takes calls.

        Raises:
            BadData: It ended, as it does where a model does not load.
            ProcessDied: It needs too long.
        """
        end = time.monotonic() + START_S
        while not self._is_up():
            if not self.is_running:
                raise BadData(f"Paddle Serving does not load {self._name}; the log says why")
            if time.monotonic() > end:
                raise ProcessDied(f"Paddle Serving needs over {START_S:.0f} s for {self._name}")
            time.sleep(POLL_S)

    def run(self, batch: NDArray[np.float32], *, timeout_s: float) -> NDArray[np.float32]:
        """Return the net's one output.

        Raises:
            ProcessDied: It does not answer, or as another version.
            BadData: The net does not take such a batch.
        """
        request = Request()
        request.tensors.add(
            name="x", elem_type=FLOAT32, shape=batch.shape, byte_data=batch.tobytes()
        )
        try:
            answer = self._call(request, timeout=timeout_s)
        except grpc.RpcError as error:
            raise ProcessDied(f"Paddle Serving gave no answer: {error.code().name}") from None
        except ValueError as error:  # of a channel that is closed
            raise ProcessDied(f"Paddle Serving was ended: {error}") from None
        if answer.err_no:
            raise BadData(f"Paddle Serving refused a batch with {answer.err_no}: {answer.err_msg}")
        if dict(zip(answer.key, answer.value, strict=True)).get("model_version") != self._version:
            raise ProcessDied("Paddle Serving answered as another version")
        try:
            (output,) = answer.tensors
            return np.frombuffer(output.byte_data, np.float32).reshape(output.shape)
        except ValueError as error:
            raise ProcessDied(f"Paddle Serving gave no tensor: {error}") from None

    def _is_up(self) -> bool:
        if not self.socket.exists():
            return False
        try:
            grpc.channel_ready_future(self._channel).result(timeout=1)
        except grpc.FutureTimeoutError:
            return False
        return True

    def end(self) -> None:
        """End it, at once; nothing of it is left."""
        self._channel.close()
        self._process.kill()
        self._process.wait()
        if self._process.stdin:
            self._process.stdin.close()
        shutil.rmtree(self._folder, ignore_errors=True)
