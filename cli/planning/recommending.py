"""What a project would need on each kind of machine, and which kind is enough."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from configs.layers import ConfigError
from configs.paddleocr import Training
from configs.presets import ProjectParams, load_params
from configs.retrain import RetrainPagesParams
from configs.templates import load_template
from configs.training import TEMPLATE_NAMES
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.dataset.snapshot.snapshot import MANIFEST
from ocr.machine.planning.choice import Kind, Verdict, add_up, judge, take_turns
from ocr.machine.planning.needs import Took, predict
from ocr.store import Store
from tasks.run.usage import describe_training


def weigh_templates(
    preset: str,
    overrides: Sequence[str],
    *,
    images: Mapping[str, int],
    earlier: Sequence[Took],
) -> Iterator[Verdict]:
    """Judge every template, from the smallest, for a project that would train on it.

    Args:
        preset: Preset or file of the project.
        overrides: Of its parameters.
        images: Of the train split, by the field that trains on them; 0: unknown.
        earlier: What trainings of before took.
    """
    for name in TEMPLATE_NAMES:
        try:
            params = load_params(preset, overrides=[*overrides, f"resources.template={name}"])
        except ConfigError as refused:
            why = " ".join(str(refused).split())
            yield Verdict(name, False, f"refused: {why}", None)
            continue
        yield _weigh(name, params, images, earlier)


def count_images(store: Store, params: ProjectParams) -> dict[str, int]:
    """Return how many images each training of a project learns from; 0: nobody knows yet."""
    name = params.dataset.name
    if isinstance(params, RetrainPagesParams):
        lines = _in_store(store, f"{name}-lines")
        return {"detector": _in_store(store, name) or _rendered(params), "recogniser": lines}
    return {"training": _in_store(store, name) or _rendered(params)}


def _weigh(
    name: str, params: ProjectParams, images: Mapping[str, int], earlier: Sequence[Took]
) -> Verdict:
    template, resources = load_template(name), params.resources
    gives = template.resources
    if resources.device != gives.device:
        said = f"the project states resources.device: {resources.device}"
        return Verdict(name, False, f"not used: {said}", None)
    needs = [
        predict(describe_training(training, resources, images=images[field]), earlier)
        for field, training in _trainings(params).items()
    ]
    slots = gives.devices if gives.device == "gpu" else int(gives.cpus)
    kind = Kind(
        name=name,
        devices=gives.devices,
        memory_gib=gives.memory_gib,
        shared_memory_gib=gives.shared_memory_gib,
        gpu_memory_gib=template.gpu_memory_gib,
        time_limit_h=gives.time_limit_h,
    )
    if resources.nodes > 1:  # one training has all machines
        most = take_turns(needs)
    else:
        most = add_up(needs, devices=resources.devices, slots=slots)
    return judge(kind, most, devices=resources.devices)


def _trainings(params: ProjectParams) -> dict[str, Training]:
    if isinstance(params, RetrainPagesParams):
        return {"detector": params.detector, "recogniser": params.recogniser}
    return {"training": params.training}


def _in_store(store: Store, dataset: str) -> int:
    """Return the train split of a dataset's newest snapshot; 0: it has none."""
    found = [
        each for each in store.entries(f"datasets/{dataset}") if each.key.endswith(f"/{MANIFEST}")
    ]
    if not found:
        return 0
    newest = max(found, key=lambda each: each.modified)
    return SnapshotManifest.from_bytes(store.read_bytes(newest.key)).counts["train"]


def _rendered(params: ProjectParams) -> int:
    dataset: Any = params.dataset
    if dataset.source != "synthetic":
        return 0
    held_out: float = dataset.split.val_share + dataset.split.test_share
    return int(dataset.synthesis.count * (1 - held_out))
