"""What is served while it is tried: two versions of one model, and questions to both."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from bench.serve.gateway import Gateway
from bench.serve.load_generator.question import Question, Reading, reading_of
from bench.serve.raw_client import RawClient
from bench.serve.untrained_bundle import write_untrained_bundle
from ocr.image.pixels import Image, encode_jpeg
from ocr.models.bundle import MANIFEST
from ocr.models.golden import decode_golden, read_golden_inputs, read_golden_pages
from ocr.models.registry import ModelVersion, Registry
from ocr.store import open_store
from tasks.gateway_client import GatewayClient
from tasks.workspace import Workspace, open_workspace

NAME: Final = "untrained"
CHARACTERS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
CROPS: Final = 64
CROPS_A_PAGE: Final = 49
CELL_PX: Final = 8
WIDTHS_PX: Final = (48, 480)
SERVED_S: Final = 60.0


@dataclass(frozen=True)
class ServedModel:
    """A store of its own with a model.

    Attributes:
        folder: The store's.
        registry: The model's.
        name: The model's.
        first: The champion.
        second: Another version; of a real model the same nets under another name.
        questions: Crops of many widths, and pages where the model reads them.
    """

    folder: Path
    registry: Registry
    name: str
    first: str
    second: str
    questions: Sequence[Question]

    def copy(self, version: str) -> str:
        """Register the first version once more, under another name; return that."""
        source = self.registry.version(self.name, self.first)
        _register_copy(self.registry, source, version, folder=self.folder.with_name(version))
        return version


def make_model(folder: Path, reference: str) -> ServedModel:
    """Make a store with a model of the registry, or, without a reference, with an untrained one."""
    registry = Registry(open_store(str(folder / "store")))
    if reference:
        model = _make_real(folder, registry, reference)
    else:
        model = _make_untrained(folder, registry)
    registry.promote(model.name, model.first, reason="first")
    return model


def expect_readings(model: ServedModel, gateway: Gateway, *, key: str = "") -> tuple[Question, ...]:
    """Have each version read each question once, one after another, and keep what is read."""
    readings: dict[str, list[Reading]] = {}
    with GatewayClient(gateway.url, token=key) as client:
        readings[model.first] = _ask_all(model.questions, gateway.port, key=key)
        model.registry.promote(model.name, model.second, reason="to be asked")
        client.wait_for(model.name, model.second, timeout_s=SERVED_S)
        readings[model.second] = _ask_all(model.questions, gateway.port, key=key)
        model.registry.rollback(model.name, reason="was asked")
        client.wait_for(model.name, model.first, timeout_s=SERVED_S)
    return tuple(
        replace(question, readings={version: read[place] for version, read in readings.items()})
        for place, question in enumerate(model.questions)
    )


def _ask_all(questions: Sequence[Question], port: int, *, key: str) -> list[Reading]:
    """Ask; what is asked more often is asked once."""
    known: dict[bytes, Reading] = {}
    with RawClient(port) as client:
        for question in questions:
            if question.body not in known:
                client.send(question.request("calm", head=question.head(key=key)))
                reply = client.receive()
                if reply is None or reply.status != 200:
                    raise RuntimeError(f"A calm request is not answered: {reply}")
                known[question.body] = reading_of(json.loads(reply.body))
    return [known[question.body] for question in questions]


def _make_untrained(folder: Path, registry: Registry) -> ServedModel:
    """Make two versions that read the same images differently: each answer tells who gave it."""
    images = _draw_crops()
    for version, characters in (("r1", CHARACTERS), ("r2", CHARACTERS[::-1])):
        bundle = write_untrained_bundle(
            folder / version, images=images, version=version, characters=characters
        )
        registry.register(NAME, version, bundle)
    questions = tuple(_crop(NAME, image) for image in images)
    return ServedModel(folder / "store", registry, NAME, "r1", "r2", questions)


def _make_real(folder: Path, registry: Registry, reference: str) -> ServedModel:
    workspace = open_workspace()
    source = workspace.registry.resolve(reference)
    for part in source.parts.values():
        _register(registry, workspace, workspace.registry.resolve(part))
    model = _register(registry, workspace, source)
    second = f"{model.version}-again"
    _register_copy(registry, model, second, folder=folder / second)
    questions = _questions_to(workspace, source)
    return ServedModel(folder / "store", registry, model.name, model.version, second, questions)


def _register(registry: Registry, workspace: Workspace, model: ModelVersion) -> ModelVersion:
    return registry.register(model.name, model.version, workspace.fetch_bundle(model))


def _register_copy(
    registry: Registry, model: ModelVersion, version: str, *, folder: Path
) -> ModelVersion:
    bundle = shutil.copytree(registry.download(model, folder.with_suffix(".source")), folder)
    manifest = json.loads((bundle / MANIFEST).read_text("utf-8"))
    (bundle / MANIFEST).write_text(json.dumps({**manifest, "version": version}), "utf-8")
    return registry.register(model.name, version, bundle)


def _questions_to(workspace: Workspace, model: ModelVersion) -> tuple[Question, ...]:
    """Ask a recogniser its golden crops; a pipeline its pages among its recogniser's crops."""
    bundle = workspace.fetch_bundle(model)
    if model.task != "pipeline":
        return tuple(_crop(model.name, image) for image in read_golden_inputs(bundle))
    recogniser = workspace.registry.resolve(str(model.manifest["recogniser"]))
    images = read_golden_inputs(workspace.fetch_bundle(recogniser))
    crops = [_crop(model.name, image) for image in images]
    questions = []
    for number, golden in enumerate(read_golden_pages(bundle)):
        start = number * CROPS_A_PAGE
        questions += [crops[place % len(crops)] for place in range(start, start + CROPS_A_PAGE)]
        page = encode_jpeg(decode_golden(golden.image.read_bytes()))
        questions.append(Question(f"/v1/ocr?model={model.name}", page))
    return tuple(questions)


def _crop(name: str, image: Image) -> Question:
    return Question(f"/v1/recognize?model={name}", encode_jpeg(image))


def _draw_crops() -> list[Image]:
    """Draw coloured cells, so that a net of random weights reads each crop otherwise."""
    random = np.random.default_rng(0)
    narrowest, widest = (width // CELL_PX for width in WIDTHS_PX)
    cells = (
        random.integers(0, 256, (5, random.integers(narrowest, widest + 1), 3), dtype=np.uint8)
        for _ in range(CROPS)
    )
    return [np.ascontiguousarray(each.repeat(CELL_PX, 0).repeat(CELL_PX, 1)) for each in cells]
