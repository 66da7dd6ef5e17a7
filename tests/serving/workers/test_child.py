import socket
from pathlib import Path

import pytest

from ocr.image.pixels import Image, decode_image
from ocr.reading.cores import ONE_CORE
from ocr.wire import send
from serving.workers.child import Worker
from serving.workers.model_files import Runtime, digest_manifests
from tests.serving.tiny_bundle import DIGITS, make_bundle, png


def test_crops_of_a_model_that_was_just_unloaded_do_not_end_the_worker() -> None:
    worker = Worker(Runtime("onnxruntime", ONE_CORE, Path()))
    ours, theirs = socket.socketpair()
    image = png("2026")

    with ours, theirs:
        sizes = [len(image)] * 2
        send(ours, {"model": "plates:1#1", "sizes": sizes, "max_pixels": 10**6}, image * 2)
        told, _ = worker.read_crops(theirs)

    assert [answer["fault"]["kind"] for answer in told["answers"]] == ["ProcessDied"] * 2


def test_memory_that_runs_out_over_a_crop_is_no_fault_of_it_and_no_end_of_the_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(Runtime("onnxruntime", ONE_CORE, Path()))
    bundle = make_bundle(tmp_path / "v1", version="v1", characters=DIGITS)
    small, large = png("42"), png("777777")

    def decode(data: bytes, *, max_pixels: int) -> Image:
        if data == large:
            raise MemoryError("Failed to allocate 9 bytes")
        return decode_image(data, max_pixels=max_pixels)

    monkeypatch.setattr("serving.workers.child.decode_image", decode)
    ours, theirs = socket.socketpair()

    with ours, theirs:
        what = {"folder": str(bundle), "manifests": digest_manifests(bundle), "is_proved": False}
        send(ours, {"model": "bars:v1#1", **what})
        worker.change_models(theirs)
        sizes = [len(large), len(small)]
        send(ours, {"model": "bars:v1#1", "sizes": sizes, "max_pixels": 10**6}, large + small)
        told, _ = worker.read_crops(theirs)

    lost, read = told["answers"]
    assert lost == {"fault": {"kind": "", "message": "MemoryError"}}
    assert read["text"] == "42"
