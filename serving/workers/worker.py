"""One worker as the gateway sees it: started, given models and pages, killed."""

import json
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np

from ocr.errors import ProcessDied
from ocr.image.pixels import Image
from ocr.wire import WireBroken, receive, receive_bytes, send
from serving.settings import PASSED_ON
from serving.workers.faults import to_error

LOG = logging.getLogger("ocrline.serving")

START_S: Final = 60.0
LOAD_S: Final = 300.0
MOST_PAGE_BYTES: Final = 2**28
SOCKET_BYTES: Final = 2**20
"""Of a socket's buffer: a batch fits, so that neither side waits for the other to take it."""
ONE_THREAD: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class WorkerDied(ProcessDied):
    """A worker ended, or was ended: another one takes its place."""


class Worker:
    """A process of `serving.workers.child`; its crops go through a `CropLane`."""

    def __init__(self, setup: Mapping[str, Any]) -> None:
        """Start it.

        Args:
            setup: What it runs: engine, threads, paddle_serving.

        Raises:
            OSError: It does not start.
        """
        self._setup = setup
        pairs = [socket.socketpair() for _ in range(3)]
        self.crops, self._pages, self._changes = (ours for ours, _ in pairs)
        theirs = [other for _, other in pairs]
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "serving.workers.child", *(str(o.fileno()) for o in theirs)],
                env=_environment(),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[other.fileno() for other in theirs],
                start_new_session=True,  # Ctrl-C is for the gateway, which then ends it
            )
        except OSError:
            self._close_sockets()
            raise
        finally:
            for other in theirs:
                other.close()
        for end in (self.crops, self._pages):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BYTES)
        self._changing, self._reading = threading.Lock(), threading.Lock()
        self.models: frozenset[str] = frozenset()

    @property
    def pid(self) -> int:
        """Its id."""
        return self._process.pid

    def wait_until_up(self) -> None:
        """Wait until it reads.

        Raises:
            WorkerDied: It ended, or needs too long.
        """
        with self._changing:
            self._ask(self._changes, self._setup, timeout_s=START_S)

    def load(
        self, model: str, folder: Path, *, manifests: Mapping[str, str], is_proved: bool
    ) -> None:
        """Have it load a model, which it then reads with under this name.

        Raises:
            OcrError: As `serving.workers.model_files.load_model`.
            WorkerDied: It ended over it, or needs too long.
        """
        with self._changing:
            what = {"model": model, "folder": str(folder), "manifests": manifests}
            request = {**what, "is_proved": is_proved}
            self._ask(self._changes, request, timeout_s=LOAD_S)
            self.models |= {model}

    def unload(self, model: str) -> None:
        """Have it forget a model; one that has ended has."""
        with self._changing, suppress(WorkerDied):
            self.models -= {model}
            self._ask(self._changes, {"model": model}, timeout_s=LOAD_S)

    def read_page(
        self,
        model: str,
        image: Image,
        options: Mapping[str, float],
        *,
        threads: int,
        timeout_s: float,
    ) -> dict[str, Any]:
        """Have a (H, W, 3) BGR page read; one thread at a time may do so.

        Returns:
            What `serving.workers.page_answer.answer_page` wrote.

        Raises:
            OcrError: It cannot be read.
            WorkerDied: The process ended over it, or needed too long and was killed.
        """
        request = {
            "model": model,
            "height_px": image.shape[0],
            "width_px": image.shape[1],
            "threads": threads,
            "options": options,
        }
        with self._reading:
            deadline = time.monotonic() + timeout_s
            content = np.ascontiguousarray(image).data.cast("B")
            answer = self._ask(self._pages, request, content=content, timeout_s=timeout_s)
            try:
                if not 0 < (size := answer["bytes"]) < MOST_PAGE_BYTES:
                    raise WireBroken(f"A page of {size} bytes")
                page = json.loads(receive_bytes(self._pages, size, deadline=deadline))
            except (OSError, LookupError, TypeError, ValueError) as error:
                raise self._blame(error) from None
            if not isinstance(page, dict):
                raise self._blame(WireBroken("no page"))
            return page

    def kill(self) -> None:
        """End it, whatever it does; who waits for it is told."""
        with suppress(OSError):
            self._process.kill()

    def close(self) -> None:
        """End it and forget it; who asks it is told first."""
        self.kill()
        self._process.wait()
        with self._changing, self._reading:
            self._close_sockets()

    def _close_sockets(self) -> None:
        for connection in (self.crops, self._pages, self._changes):
            connection.close()

    def _ask(
        self,
        connection: socket.socket,
        request: Mapping[str, Any],
        *,
        timeout_s: float,
        content: memoryview | bytes = b"",
    ) -> dict[str, Any]:
        try:
            connection.settimeout(timeout_s)
            send(connection, request, content)
        except OSError as error:
            raise self._blame(error) from None
        return self._receive(connection, timeout_s)

    def _receive(self, connection: socket.socket, timeout_s: float) -> dict[str, Any]:
        try:
            answer = receive(connection, deadline=time.monotonic() + timeout_s)
        except OSError as error:  # a broken wire and a time-out, too
            raise self._blame(error) from None
        if "fault" in answer:
            raise to_error(answer["fault"])
        return answer

    def _blame(self, error: Exception) -> WorkerDied:
        """End it: what it says makes no sense any more, or comes too late."""
        self.kill()
        why = "it takes too long" if isinstance(error, TimeoutError) else f"{error}"
        return WorkerDied(f"A process that reads ended ({why})")


def _environment() -> dict[str, str]:
    given = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return {**given, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
