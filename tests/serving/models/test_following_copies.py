"""What the gateway does when its own copies of a version change on this disk."""

import shutil
from pathlib import Path

from serving.workers.model_files import digest_manifests
from tests.processes import children_with
from tests.serving.conftest import Shelf
from tests.serving.gateway import Gateway, running_gateway, wait_until
from tests.serving.tiny_bundle import DIGITS, LETTERS, make_bundle, png

READING = "/health/ready"


def test_copy_that_was_damaged_on_this_disk_is_fetched_again(shelf: Shelf) -> None:
    shelf.registry.promote("bars", shelf.add("v1", DIGITS), reason="first")
    home = shelf.folder / "home"

    def damage() -> None:
        (copy,) = home.glob("serving/*/bars/v1/onnx/model.onnx")
        copy.write_bytes(copy.read_bytes()[:-10])

    with running_gateway(home, store=shelf.store) as gateway:
        gateway.wait_for("v1")
        loaded_at = gateway.model()["loaded_at"]
        damage()
        kill_workers(gateway)
        assert gateway.read(png("1")) == ("1", "v1")
        assert gateway.model()["loaded_at"] == loaded_at
        damage()

    with running_gateway(home, store=shelf.store) as gateway:
        gateway.wait_ready()
        assert gateway.read(png("1")) == ("1", "v1")
        assert gateway.model()["last_error"] is None


def test_copy_that_became_another_whole_bundle_is_fetched_again(shelf: Shelf) -> None:
    shelf.registry.promote("bars", shelf.add("v1", DIGITS), reason="first")
    other = make_bundle(shelf.folder / "other", version="v1", characters=LETTERS)
    home = shelf.folder / "home"

    with running_gateway(home, store=shelf.store) as gateway:
        gateway.wait_for("v1")
        (copy,) = home.glob("serving/*/bars/v1")
        shutil.rmtree(copy)
        shutil.copytree(other, copy)
        kill_workers(gateway)

        assert [gateway.read(png("12")) for _ in range(20)] == [("12", "v1")] * 20


def test_model_that_no_worker_has_is_not_ready_until_it_can_be_mended(shelf: Shelf) -> None:
    shelf.registry.promote("bars", shelf.add("v1", DIGITS), reason="first")
    home, (stored,) = shelf.folder / "home", Path(shelf.store).glob("models/bars/v1/**/onnx")

    with running_gateway(home, store=shelf.store) as gateway:
        gateway.wait_for("v1")
        for folder in (stored, *home.glob("serving/*/bars/v1/onnx")):
            (folder / "model.onnx").rename(folder / "gone")
        kill_workers(gateway)
        waiting = gateway.post(content=png("1"), headers={"content-type": "image/png"})
        wait_until(lambda: gateway.get(READING).status_code == 503, log=gateway.log)

        assert (waiting.status_code, waiting.json()["error"]["code"]) == (503, "not_ready")
        assert "bars: its copy here is damaged and cannot be mended now" in reason(gateway)
        asked = gateway.post(content=png("1"), headers={"content-type": "image/png"})
        assert (asked.status_code, asked.json()["error"]["code"]) == (503, "not_ready")
        assert "cannot be mended now" in gateway.model()["last_error"]
        assert gateway.get("/v1/capabilities").json()["models"] == []
        assert str(shelf.folder) not in gateway.model()["last_error"]
        assert gateway.metric('ocrline_model_behind{model="bars"}') == 1

        (stored / "gone").rename(stored / "model.onnx")
        gateway.wait_ready()

        assert gateway.read(png("1")) == ("1", "v1")
        assert gateway.model()["last_error"] is None
        assert gateway.metric('ocrline_model_behind{model="bars"}') == 0


def test_a_folder_that_is_no_part_of_a_pipeline_hides_none(shelf: Shelf) -> None:
    folder = make_bundle(shelf.folder / "v1", version="v1", characters=DIGITS)
    known = digest_manifests(folder)
    for part in (".0123.part", "backup"):
        shutil.copytree(folder, folder / part, ignore=shutil.ignore_patterns(".*", "backup"))

    assert list(known) == [""]
    assert digest_manifests(folder) == known


def kill_workers(gateway: Gateway) -> None:
    for worker in children_with("serving.workers.child", parent=gateway.process.pid):
        worker.kill()


def reason(gateway: Gateway) -> str:
    return str(gateway.get(READING).json()["reason"])
