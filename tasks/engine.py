"""What a training needs beside our own code: PaddleOCR's tree and runtime, what it starts from."""

import json
from collections.abc import Mapping
from typing import Literal, TypeVar

from configs.base import Params
from configs.deployment import DeploymentParams
from configs.jobs import PaddleOcrRuntime
from configs.paddleocr import (
    CHAMPION,
    REGISTERED,
    PaddleOcrDetectorParams,
    PaddleOcrParams,
    Training,
    TrainingField,
)
from configs.settings import Settings
from configs.training import ResourceParams
from ocr.errors import ArtifactNotFound, BadInput
from ocr.machine.docker import check_docker
from ocr.machine.machine import Machine
from ocr.models.registry import ModelVersion, Registry
from ocr.source_tree import IMAGE_PYTHON, find_config, find_home, find_source_tree
from ocr.store.folder import mark_used
from tasks.run.narration import narrate
from tasks.run.progress import Net
from tasks.run.wording import in_words_of
from tasks.workspace import open_workspace

AnyTraining = TypeVar("AnyTraining", bound=Params)
TASKS: dict[Net, Literal["recognition", "detection"]] = {
    "recogniser": "recognition",
    "detector": "detection",
}
WEIGHTS = "weights.pdparams"
"""In a checkpoint of PaddleOCR's trainer."""


def check_engine(resources: ResourceParams, trainings: Mapping[TrainingField, Training]) -> None:
    """Look for what trainings run in and what their engines need before anything else is done.

    Each training stands under the field of the form that states it.

    Raises:
        BadInput: It is missing; the error says how to get it.
    """
    if resources.runtime == "container":
        gpus = resources.devices if resources.device == "gpu" else 0
        for finding in check_docker(Machine.here(), image=resources.image, gpus=gpus):
            if finding.verdict == "broken":
                raise BadInput(str(finding))
    for field, training in trainings.items():
        if isinstance(training, PaddleOcrParams):
            try:
                find_runtime(resources.image, training)
            except BadInput as error:
                raise BadInput(in_words_of(field, str(error))) from None


def check_name(name: str, task: Literal["recognition", "pipeline"]) -> None:
    """Refuse a project with the name of a model of the other kind, before one is trained.

    Raises:
        BadInput: There is such a model.
    """
    registry = open_workspace().registry
    champion = registry.champion(name)
    for version in [champion.version] if champion else registry.versions(name)[:1]:
        found = registry.version(name, version).task
        if found != task:
            raise BadInput(
                f"name: {name!r} is a model for {found} already, this project trains one for "
                f"{task}: give it another name"
            )


def fit_to_server(training: AnyTraining, deployment: DeploymentParams) -> AnyTraining:
    """Return a training whose model what serves can read: 8 bits are for ONNX Runtime alone."""
    reason = reads_float32(deployment)
    if not (getattr(training, "int8", False) and reason):
        return training
    narrate("export", f"int8 is left out, as {reason} reads float32")
    return training.model_copy(update={"int8": False})


def reads_float32(deployment: DeploymentParams) -> str:
    """Name the setting by which models will be served in float32 alone; empty: in any form."""
    if deployment.target == "paddle-serving":
        return f"deployment.target: {deployment.target}"
    engine = Settings().engine
    return "" if engine == "onnxruntime" else f"OCRLINE_ENGINE={engine}"


def find_runtime(image: str = "", training: PaddleOcrParams | None = None) -> PaddleOcrRuntime:
    """Find the source tree that the environment names, and the interpreter.

    Args:
        image: The container image that has the interpreter; empty: the environment names it.
        training: Whose net it is for; None: any.

    Raises:
        BadInput: One of them is missing, or the file of the net is.
    """
    settings = Settings()
    python = IMAGE_PYTHON if image else settings.paddleocr_python
    config = ""
    if training:
        kind: Literal["rec", "det"] = (
            "det" if isinstance(training, PaddleOcrDetectorParams) else "rec"
        )
        config = find_config(find_home(settings.paddleocr_home), training.net, kind)
    found = find_source_tree(settings.paddleocr_home, python, config=config, image=image)
    return PaddleOcrRuntime(
        home=str(found.home),
        python=str(found.python),
        config=config,
        tree=found.tree,
        packages=found.packages,
    )


def find_start(
    training: AnyTraining, name: str, net: Net, field: TrainingField = "training"
) -> AnyTraining:
    """Name the version and the weights to start from, where that is to be the champion's.

    Once a run: what it promotes would be another champion.

    Args:
        training: How to train.
        name: The model or, of pages, the pipeline.
        net: What is trained.
        field: Where the form states the training, for errors.

    Returns:
        The training with the version and the SHA-256 of its weights; with neither if there is no
        champion, so that the first run of a schedule is like the others.

    Raises:
        BadInput: The champion has no weights that this training could start from.
    """
    if not isinstance(training, PaddleOcrParams) or training.pretrained != CHAMPION:
        return training
    workspace = open_workspace()
    champion = _find_champion(workspace.registry, name, net)
    if champion is None:
        narrate("train", f"{net}: {name} has no champion yet; it starts from nothing")
        return training.model_copy(update={"pretrained": "", "frozen": "none"})
    _check_champion(champion, training, net, field)
    key = str(champion.manifest.get("checkpoint") or "")
    try:
        if not key:
            raise ArtifactNotFound("its bundle names no checkpoint")
        mark_used(workspace.store, prefix="/".join(key.split("/")[:2]))
        files = json.loads(workspace.store.read_bytes(f"{key}/manifest.json"))["files"]
    except ArtifactNotFound as error:
        raise BadInput(
            f"{field}.pretrained: the champion {champion.reference} has no weights left to start "
            f"from ({error}); leave pretrained empty until the next one"
        ) from None
    narrate("train", f"{net}: starts from the champion, {champion.reference}")
    start = {"pretrained": REGISTERED + champion.reference, "pretrained_sha256": files[WEIGHTS]}
    return training.model_copy(update=start)


def _find_champion(registry: Registry, name: str, net: Net) -> ModelVersion | None:
    """Return the champion or, of a pipeline, its part."""
    state = registry.champion(name)
    if state is None:
        return None
    model = registry.version(name, state.version)
    return registry.resolve(str(model.manifest[net])) if model.task == "pipeline" else model


def _check_champion(
    champion: ModelVersion, training: PaddleOcrParams, net: Net, field: TrainingField
) -> None:
    said = champion.manifest["parameters"]
    found = (champion.task, said.get("engine", "embedded"), said.get("net", "compact"))
    if found != (TASKS[net], training.engine, training.net):
        raise BadInput(
            f"{field}.pretrained: the champion {champion.reference} does {found[0]} by {found[2]} "
            f"of engine {found[1]}, expected {TASKS[net]} by {training.net} of {training.engine}; "
            "leave pretrained empty until one of these is the champion"
        )
