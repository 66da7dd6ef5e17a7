"""A decoder's process: ``python -m ocr.decoding.child DESCRIPTOR MEMORY_BYTES``.

It is asked for one page at a time through the socket DESCRIPTOR, keeps the last document open for
the next, and ends with the socket. Of ours it imports only images: no settings, no store.
"""

import os
import resource
import socket
import sys
import time
import traceback
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import cv2
import numpy as np
import PIL.Image

from ocr.decoding.confinement import confine
from ocr.image.document import OpenDocument, open_document
from ocr.image.pdf import BadDocument
from ocr.image.pixels import BadImage, Image
from ocr.wire import WireBroken, receive, receive_bytes, send

CPU_SLACK_S = 2


def main() -> None:
    """Decode until its owner is gone."""
    connection = socket.socket(fileno=int(sys.argv[1]))
    cv2.setNumThreads(1)
    # What Pillow imports only when it needs it, while files can still be opened.
    PIL.Image.init()
    PIL.Image.new("LAB", (1, 1)).convert("RGB")
    facts = confine(memory_bytes=int(sys.argv[2]))
    send(connection, {"confinement": facts})
    os.dup2(0, 2)  # nothing reads what libraries say of bad files
    shelf = _Shelf()
    while True:
        try:
            request = receive(connection)
            content = bytes(receive_bytes(connection, request["bytes"]))
        except WireBroken:
            return
        _answer(connection, shelf, request, content)


class _Shelf:
    """Holds the one document that is open."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._open: OpenDocument | None = None

    def open(self, content: bytes, **limits: Any) -> OpenDocument:
        """Open a document, which may well be empty, instead."""
        self.clear()
        self._open = self._stack.enter_context(open_document(content, **limits))
        return self._open

    def decode(self, index: int) -> Image:
        """Decode a page."""
        if self._open is None:
            raise LookupError("no document is open")
        page = self._open.decode(self._open.numbers[index])
        if index + 1 >= len(self._open.numbers):
            self.clear()
        return page

    def clear(self) -> None:
        """Close what is open."""
        self._open = None
        self._stack.close()


def _answer(
    connection: socket.socket, shelf: _Shelf, request: Mapping[str, Any], content: bytes
) -> None:
    _limit_cpu(request["timeout_s"])
    try:
        if request["is_new"]:
            document = shelf.open(content, **request["limits"])
            wanted = len(document.numbers)
            send(connection, {"page_count": document.page_count, "wanted": wanted})
        page = shelf.decode(request["index"])
    except (BadDocument, BadImage) as error:
        fault = {"kind": type(error).__name__, "reason": error.reason, "message": str(error)}
        send(connection, {"fault": fault})
    except MemoryError:
        shelf.clear()
        message = "It takes more memory to decode than a document may"
        send(
            connection,
            {"fault": {"kind": "BadDocument", "reason": "too_large", "message": message}},
        )
    except Exception:  # noqa: BLE001 - the process's edge: its owner logs it as its own failure
        send(connection, {"failure": traceback.format_exc()[-4000:]})
    else:
        height_px, width_px = page.shape[:2]
        facts = {"height_px": height_px, "width_px": width_px}
        send(connection, facts, np.ascontiguousarray(page).data.cast("B"))


def _limit_cpu(timeout_s: float) -> None:
    """Be ended by the kernel even if its owner, who would, has been killed itself."""
    _, most_s = resource.getrlimit(resource.RLIMIT_CPU)
    used_s = int(time.process_time() + timeout_s) + CPU_SLACK_S
    resource.setrlimit(resource.RLIMIT_CPU, (used_s, most_s))


if __name__ == "__main__":
    main()
