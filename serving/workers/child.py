"""A worker's process: ``python -m serving.workers.child CROPS PAGES MODELS``.

It is asked through three sockets, given by their descriptors, and ends with them: one batch of
crops, one page and one model at a time. It has no settings, no store and no secret.
"""

import logging
import os
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ocr.errors import OcrError, ProcessDied
from ocr.image.pixels import BadImage, Image, declared_pixels, decode_image
from ocr.reading.cores import Cores
from ocr.wire import WireBroken, receive, receive_bytes, receive_into, send
from serving.log import begin_log
from serving.workers.faults import describe_fault
from serving.workers.model_files import LoadedModel, Runtime, load_model
from serving.workers.page_answer import answer_page

LOG = logging.getLogger("ocrline.serving")

HELD_PIXELS = 2**22
"""Of decoded crops at once, and one more: small crops are read together, large ones alone."""

Answer = tuple[Mapping[str, Any], bytes]


def main() -> None:
    """Read until the gateway is gone."""
    # Its own copy: the descriptor itself is closed to what decoders write.
    sys.stderr = os.fdopen(os.dup(2), "w", buffering=1, errors="backslashreplace")
    begin_log()
    cv2.setNumThreads(1)
    crops, pages, models = (socket.socket(fileno=int(number)) for number in sys.argv[1:])
    setup = receive(models)
    cores = Cores(setup["threads"])
    runtime = Runtime(setup["engine"], cores, Path(setup["paddle_serving"]))
    worker = Worker(runtime)
    for lane, answer in ((pages, worker.read_page), (models, worker.change_models)):
        threading.Thread(target=_serve, args=(lane, answer), daemon=True).start()
    send(models, {"is_up": True})
    _serve(crops, worker.read_crops)


def _serve(connection: socket.socket, answer: Callable[[socket.socket], Answer]) -> None:
    """Answer one question after another, until nobody asks."""
    while True:
        try:
            message, content = answer(connection)
            send(connection, message, content)
        except WireBroken:
            return
        except Exception:
            LOG.exception("a worker ends")
            os._exit(1)  # all of it: a lane that is not served any more would be waited for


class Worker:
    """The models of this process, and what is asked of them."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._models: dict[str, LoadedModel] = {}

    def change_models(self, connection: socket.socket) -> Answer:
        """Load a model, or forget it."""
        request = receive(connection)
        if "folder" not in request:
            self._models.pop(request["model"], None)
            return {}, b""
        try:
            self._models[request["model"]] = load_model(
                Path(request["folder"]),
                self._runtime,
                manifests=request["manifests"],
                is_proved=request["is_proved"],
            )
        except Exception as error:  # noqa: BLE001 - an engine may raise anything over a bad file
            return {"fault": _fault(error)}, b""
        return {}, b""

    def read_crops(self, connection: socket.socket) -> Answer:
        """Read a batch; what is wrong with one is said of that one."""
        request = receive(connection)
        contents = [bytes(receive_bytes(connection, size)) for size in request["sizes"]]
        if not contents:  # whoever asks nothing wants to know whether somebody answers
            return {"answers": [], "seconds": 0.0}, b""
        answers: list[Mapping[str, Any]] = [{}] * len(contents)
        model = self._models.get(request["model"])
        if model is None:  # it is unloaded when nobody holds it: these have been given up
            gone = describe_fault(ProcessDied(f"{request['model']} is served no more"))
            return {"answers": [{"fault": gone}] * len(contents), "seconds": 0.0}, b""
        cores = self._runtime.cores
        started = time.perf_counter()
        with cores.used_elsewhere(cores.count - 1):
            for indices, images in _decode(contents, answers, max_pixels=request["max_pixels"]):
                for index, answer in zip(indices, _recognise(model, images), strict=True):
                    answers[index] = answer
        return {"answers": answers, "seconds": time.perf_counter() - started}, b""

    def read_page(self, connection: socket.socket) -> Answer:
        """Read a page."""
        request = receive(connection)
        image = np.empty((request["height_px"], request["width_px"], 3), np.uint8)
        receive_into(connection, image.data.cast("B"))
        cores = self._runtime.cores
        try:
            with cores.used_elsewhere(cores.count - request["threads"]):
                reader = self._models[request["model"]].reader
                content = answer_page(reader, image, **request["options"])
        except Exception as error:  # noqa: BLE001 - the process's edge
            return {"fault": _fault(error)}, b""
        return {"bytes": len(content)}, content


def _decode(
    contents: Sequence[bytes], answers: list[Mapping[str, Any]], *, max_pixels: int
) -> Iterator[tuple[list[int], list[Image]]]:
    """Yield images to read together, with their places; what is no image is answered so."""
    indices: list[int] = []
    images: list[Image] = []
    pixels = 0
    for index, content in enumerate(contents):
        try:
            image = _decode_unheard(content, max_pixels=max_pixels)
        except BadImage as error:
            tried = declared_pixels(content)
            is_known = tried <= max_pixels  # else it was not begun
            answers[index] = {"fault": describe_fault(error), "pixels": tried * is_known}
            continue
        except MemoryError as error:  # it says nothing of the image, nor of the other ones
            answers[index] = {"fault": _fault(error)}
            continue
        if images and pixels + image.size > 3 * HELD_PIXELS:
            yield indices, images
            indices, images, pixels = [], [], 0
        indices.append(index)
        images.append(image)
        pixels += image.size
    if images:
        yield indices, images


def _decode_unheard(content: bytes, *, max_pixels: int) -> Image:
    """Decode an image; drop what libraries write to stderr, libtiff a line for each bad row."""
    heard = os.dup(2)
    os.dup2(0, 2)
    try:
        return decode_image(content, max_pixels=max_pixels)
    finally:
        os.dup2(heard, 2)
        os.close(heard)


def _recognise(model: LoadedModel, images: Sequence[Image]) -> list[Mapping[str, Any]]:
    """Read images; where the engine fails over several, each alone."""
    try:
        read = model.recogniser.recognise(images)
    except Exception as error:  # noqa: BLE001 - an engine may raise anything
        if len(images) == 1:
            return [{"fault": _fault(error)}]
        return [answer for image in images for answer in _recognise(model, [image])]
    return [
        {"text": text.text, "confidence": text.confidence, "pixels": image.size // 3}
        for text, image in zip(read, images, strict=True)
    ]


def _fault(error: Exception) -> dict[str, str]:
    if not isinstance(error, OcrError):
        LOG.error("a worker failed: %s", traceback.format_exc())
    return describe_fault(error)


if __name__ == "__main__":
    main()
