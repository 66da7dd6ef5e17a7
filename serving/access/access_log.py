"""The access log: a JSON object a request, never a word of what was sent or read."""

import json
import logging
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from ocr.errors import BadInput

LOG = logging.getLogger("ocrline.serving")

STANDARD_OUTPUT: Final = "-"
FLAGS: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
MODE: Final = 0o640
SHOWN_CHARACTERS: Final = 200
"""Of a path: whoever asks writes it."""


@dataclass
class AccessRecord:
    """What is written down of one request; routes fill in what they come to know.

    Attributes:
        request_id: As the answer has it.
        client: Address of whoever connected: a proxy's, where there is one.
        caller: Name of the key; empty: nobody had to say.
        code: Of the problem, `serving.problems.Code`; empty: none.
        received: Bytes of the body that were taken.
        sent: Bytes of the answer's body.
        model: What answered, with its `version`.
        items: Images or pages that were read.
        log_id: By which a PaddleX client names its request; empty: by `request_id`.
    """

    request_id: str
    method: str
    path: str
    client: str = ""
    caller: str = ""
    route: str = "other"
    status: int = 500
    code: str = ""
    seconds: float = 0.0
    received: int = 0
    sent: int = 0
    model: str = ""
    version: str = ""
    items: int = 0
    log_id: str = ""

    def note_model(self, model: str, version: str) -> None:
        """Note what answers."""
        self.model, self.version = model, version


class AccessLog:
    """Writes records to a file, which may be moved away at any time, or to standard output.

    A disk that is full is told of once, and holds up no request.
    """

    def __init__(self, target: str) -> None:
        """Open the file.

        Args:
            target: Its path; ``-``: standard output; empty: nothing is written.

        Raises:
            BadInput: It cannot be written.
        """
        self._path = "" if target == STANDARD_OUTPUT else target
        self._descriptor = 1 if target == STANDARD_OUTPUT else -1
        self._is_on = bool(target)
        self._is_failing = False
        try:
            self._open_anew()
        except OSError as error:
            raise BadInput(
                f"OCRLINE_ACCESS_LOG={target!r} cannot be written: {error.strerror}"
            ) from None

    def write(self, record: AccessRecord) -> None:
        """Write a record, as one line at once."""
        if not self._is_on:
            return
        told = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), **vars(record)}
        told |= {"path": record.path[:SHOWN_CHARACTERS], "seconds": round(record.seconds, 6)}
        try:
            self._open_anew()
            os.write(self._descriptor, json.dumps(told).encode() + b"\n")
            self._is_failing = False
        except OSError as error:
            if not self._is_failing:
                LOG.error("the access log cannot be written: %s", error)
            self._is_failing = True

    def close(self) -> None:
        """Write no more."""
        self._is_on = False
        if self._path and self._descriptor >= 0:
            os.close(self._descriptor)

    def _open_anew(self) -> None:
        """Open the file, unless it is the one that is open."""
        if self._path and not self._is_in_place():
            opened = os.open(self._path, FLAGS, mode=MODE)
            if self._descriptor >= 0:
                os.close(self._descriptor)
            self._descriptor = opened

    def _is_in_place(self) -> bool:
        if self._descriptor < 0:
            return False
        try:
            there = os.stat(self._path)  # noqa: PTH116 - as quick as can be
        except FileNotFoundError:
            return False
        return os.path.samestat(there, os.fstat(self._descriptor))
