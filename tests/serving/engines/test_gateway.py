"""A gateway over Paddle Serving: promotions under load, broken versions, an orderly end."""

import base64
import os
import random
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from ocr.image.pixels import encode_png
from ocr.models.bundle import read_recogniser_manifest, write_manifest
from ocr.models.charset import Charset
from ocr.models.golden import read_golden_inputs, write_golden
from ocr.models.registry import Registry
from ocr.reading.recognition.recogniser import OnnxRecogniser
from ocr.store import open_store
from tests.processes import words_of
from tests.serving.gateway import running_gateway, wait_until
from tests.serving.models.test_swap_under_load import Hammer, Question
from tests.training.export.line_store import blotches

pytestmark = pytest.mark.timeout(300)

OTHER_CHARACTERS = tuple("ZYXWVUTS")
IMAGES = [blotches(number) for number in range(24)]


@pytest.fixture(scope="module")
def versions(lines: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same net with two charsets, and one whose legacy form reads something else."""
    root = tmp_path_factory.mktemp("versions")
    made = {name: root / name for name in ("v1", "v2", "broken")}
    for name, folder in made.items():
        shutil.copytree(lines, folder)
        if name == "v2":
            Charset(OTHER_CHARACTERS).write(folder / "charset.txt")
        if name == "broken":
            parameters = folder / "serving/inference.pdiparams"
            content = parameters.read_bytes()
            parameters.write_bytes(content[: len(content) // 2].ljust(len(content), b"\0"))
        named = {"name": "toy", "version": name}
        manifest = write_manifest(folder, read_recogniser_manifest(folder).model_copy(update=named))
        images = list(read_golden_inputs(folder))
        read = OnnxRecogniser.load(folder).recognise(images)
        shutil.rmtree(folder / "golden")
        write_golden(folder, [(i, {"text": r.text}) for i, r in zip(images, read, strict=True)])
        write_manifest(folder, manifest)
    return made


@pytest.fixture
def registry(versions: dict[str, Path], tmp_path: Path) -> Registry:
    registry = Registry(open_store(str(tmp_path / "store")))
    for version, bundle in versions.items():
        registry.register("toy", version, bundle)
    registry.promote("toy", "v1", reason="first")
    return registry


@pytest.fixture
def variables(python: Path, tmp_path: Path) -> dict[str, str]:
    return {
        "store": str(tmp_path / "store"),
        "OCRLINE_ENGINE": "paddle-serving",
        "OCRLINE_PADDLE_SERVING_PYTHON": str(python),
    }


def test_promotions_kills_and_a_broken_version_lose_and_mix_up_nothing(
    registry: Registry, versions: dict[str, Path], variables: dict[str, str], tmp_path: Path
) -> None:
    readers = {name: OnnxRecogniser.load(versions[name]) for name in ("v1", "v2")}
    right = {name: [r.text for r in reader.recognise(IMAGES)] for name, reader in readers.items()}
    encoded = [base64.b64encode(encode_png(image)).decode() for image in IMAGES]

    def ask(dice: random.Random) -> Question:
        chosen = dice.choices(range(len(IMAGES)), k=dice.choice((1, 1, 5)))

        def is_right(answer: dict[str, Any]) -> bool:
            expected = [right[answer["version"]][number] for number in chosen]
            return [result["text"] for result in answer["results"]] == expected

        return "/v1/recognize", {"images": [encoded[number] for number in chosen]}, is_right

    with running_gateway(tmp_path / "home", **variables) as gateway:
        gateway.wait_ready()
        of_v1 = services(gateway.process)
        hammer = Hammer(gateway, ask)
        with hammer.running():
            hammer.wait_for_more(50)
            os.kill(of_v1[0].pid, signal.SIGKILL)
            hammer.wait_for_more(50)
            registry.promote("toy", "v2", reason="better")
            gateway.wait_for("v2", name="toy")
            hammer.wait_for_more(50)
            registry.promote("toy", "broken", reason="somebody felt so")
            wait_until(lambda: gateway.model("toy")["is_refused"], log=gateway.log)
            assert gateway.model("toy")["version"] == "v2"
            registry.promote("toy", "v1", reason="back")
            gateway.wait_for("v1", name="toy")
            hammer.wait_for_more(50)
        wait_until(lambda: len(services(gateway.process)) == len(of_v1), log=gateway.log)
        left = services(gateway.process)

    hammer.check(("v1", "v2"))
    assert psutil.wait_procs(left, timeout=60)[1] == []


@pytest.mark.parametrize("other", ["damaged", "v2"])
def test_a_process_never_reads_with_a_copy_that_was_changed_on_this_disk(
    registry: Registry,
    versions: dict[str, Path],
    variables: dict[str, str],
    tmp_path: Path,
    other: str,
) -> None:
    right = [read.text for read in OnnxRecogniser.load(versions["v1"]).recognise(IMAGES)]
    home = tmp_path / "home"
    with running_gateway(home, **variables) as gateway:
        gateway.wait_ready()
        before = services(gateway.process)
        (copy,) = home.glob("serving/*/toy/v1")
        if other == "damaged":
            parameters = copy / "serving/inference.pdiparams"
            content = bytearray(parameters.read_bytes())
            for place in range(len(content) // 2, len(content), 4):
                content[place] ^= 0x80  # it still loads, and reads something else
            parameters.write_bytes(content)
        else:
            shutil.rmtree(copy)
            shutil.copytree(versions[other], copy)

        before[0].kill()
        read = [gateway.read(encode_png(image))[0] for image in IMAGES]
        wait_until(lambda: len(services(gateway.process)) == len(before), log=gateway.log)
        again = [gateway.read(encode_png(image))[0] for image in IMAGES]

        assert read == again == right
        assert gateway.model("toy")["last_error"] is None


def test_a_gateway_that_is_killed_leaves_no_process(
    registry: Registry, variables: dict[str, str], tmp_path: Path
) -> None:
    with running_gateway(tmp_path / "home", **variables) as gateway:
        gateway.wait_ready()
        left = services(gateway.process)
        gateway.process.kill()

        assert left
        assert psutil.wait_procs(left, timeout=60)[1] == []


def test_a_gateway_without_paddle_serving_says_how_to_get_it(tmp_path: Path) -> None:
    environment = {"OCRLINE_ENGINE": "paddle-serving", "OCRLINE_HOME": str(tmp_path)}
    environment["OCRLINE_PADDLE_SERVING_PYTHON"] = "/none/python"

    ended = subprocess.run(
        [sys.executable, "-m", "serving"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ended.returncode == 2
    assert "'/none/python' is no interpreter: run `make serving-runtime`" in ended.stderr


def services(gateway: "subprocess.Popen[bytes]") -> list[psutil.Process]:
    """The processes of Paddle Serving, children of the gateway's workers."""
    children: list[psutil.Process] = []
    for worker in psutil.Process(gateway.pid).children():
        with suppress(psutil.NoSuchProcess):  # one that ends has none
            children += worker.children()
    return [child for child in children if "service.py" in " ".join(words_of(child))]
