import socket
from pathlib import Path

from ocr.reading.cores import ONE_CORE
from ocr.wire import send
from serving.workers.child import Worker
from serving.workers.model_files import Runtime
from tests.serving.tiny_bundle import png


def test_crops_of_a_model_that_was_just_unloaded_do_not_end_the_worker() -> None:
    worker = Worker(Runtime("onnxruntime", ONE_CORE, Path()))
    ours, theirs = socket.socketpair()
    image = png("2026")

    with ours, theirs:
        sizes = [len(image)] * 2
        send(ours, {"model": "plates:1#1", "sizes": sizes, "max_pixels": 10**6}, image * 2)
        told, _ = worker.read_crops(theirs)

    assert [answer["fault"]["kind"] for answer in told["answers"]] == ["ProcessDied"] * 2
