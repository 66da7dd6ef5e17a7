"""What each training took, kept with its checkpoint, and what the next one like it will take."""

import json
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from configs.jobs import TrainResult
from configs.paddleocr import (
    PaddleOcrDetectorParams,
    PaddleOcrParams,
    PaddleOcrRecogniserParams,
)
from configs.training import (
    HEIGHTS_PER_CROP,
    DetectorTrainingParams,
    RecogniserTrainingParams,
    ResourceParams,
)
from ocr.errors import ArtifactNotFound
from ocr.machine.planning.needs import LINES, VIEWS_OF_A_PAGE, Needs, Took, predict
from ocr.machine.planning.needs import Training as Trained
from ocr.machine.usage import read_usage
from ocr.store import Store
from tasks.run.jobs import USAGE

CHECKPOINTS = "checkpoints"
LOADERS_OF_A_GPU = 4


@dataclass(frozen=True)
class Record:
    """One training: on what it ran, what was expected of it, and what it took."""

    resources: dict[str, Any]
    expected: Needs
    took: Took

    def said(self) -> dict[str, str]:
        """Return the facts for a person, each expectation beside what happened."""
        took, needs = self.took, self.expected
        seconds = took.train_s + took.other_s
        facts = {
            "resources": " ".join(f"{key}={value}" for key, value in self.resources.items())
            or "by default",
            "memory": _beside(took.memory_mib, needs.memory_mib, "MiB"),
            "shared memory": _beside(took.shared_memory_mib, needs.shared_memory_mib, "MiB"),
            "time": _beside(seconds, needs.seconds, "s") if needs.seconds else f"{seconds:.0f} s",
            "expected from": needs.basis,
        }
        if took.training.device == "gpu":
            facts["memory of GPUs"] = _beside(
                took.device_memory_mib, needs.device_memory_mib, "MiB"
            )
        return facts


def describe_training(
    training: RecogniserTrainingParams | DetectorTrainingParams | PaddleOcrParams,
    resources: ResourceParams,
    *,
    images: int,
) -> Trained:
    """Return all of a training that decides what it takes of one machine.

    Args:
        training: Its parameters.
        resources: What it runs on.
        images: Of the train split; 0: unknown.
    """
    kind, size, pixels, views = "recogniser", "", 0, 1
    foreign = isinstance(training, PaddleOcrParams)
    match training:
        case RecogniserTrainingParams():
            size, width_px = training.size, training.width_px
            if training.layout == "line":  # whose width is of what PaddleOCR pads to
                size += LINES
                width_px = max(width_px, HEIGHTS_PER_CROP * training.height_px)
            pixels = training.height_px * width_px
        case DetectorTrainingParams():
            kind, size, views = "detector", training.size, VIEWS_OF_A_PAGE
            pixels = training.crop_height_px * training.crop_width_px
        case PaddleOcrRecogniserParams():
            height_px = 48 if "pp-ocr" in training.net.lower() else 32
            pixels = height_px * training.width_px
        case PaddleOcrDetectorParams():
            kind, pixels = "detector", training.crop_height_px * training.crop_width_px
    batch_size = training.batch_size * (1 if foreign else resources.ranks)
    on_gpus = resources.devices if resources.device == "gpu" else 0
    return Trained(
        net=" ".join(filter(None, [training.engine, kind, training.net, size])),
        device=resources.device,
        devices=resources.devices,
        batch_size=batch_size // resources.nodes,
        pixels=pixels,
        images=math.ceil(images * views / resources.nodes),
        epochs=training.epochs,
        mixed=training.amp != "off",
        loaders=on_gpus * LOADERS_OF_A_GPU * foreign,
    )


def expect(store: Store, training: Trained) -> Needs:
    """Predict what a training will take from what the store knows of earlier ones."""
    return predict(training, [record.took for record in read_records(store)])


def read_records(store: Store) -> Iterator[Record]:
    """Yield what is kept of every training that has a checkpoint."""
    for key in store.list(CHECKPOINTS):
        if key.endswith(f"/{USAGE}"):
            with suppress(ArtifactNotFound):  # pruned meanwhile
                record = read_record(store.read_bytes(key))
                if record is not None:
                    yield record


def read_record(content: bytes) -> Record | None:
    """Read what `keep_record` wrote; None of what another release wrote, or is damaged."""
    try:
        record = TypeAdapter(Record).validate_json(content)
    except ValidationError:
        return None
    return record if _is_possible(record.took) else None


def _is_possible(took: Took) -> bool:
    ran = took.training
    counts = (ran.devices, ran.batch_size, ran.pixels, took.beside + 1)
    memory = (took.memory_mib, took.shared_memory_mib, took.device_memory_mib)
    amounts = (*memory, took.train_s, took.other_s, ran.images, ran.epochs)
    learnt = ran.images * ran.epochs  # at least one, or nobody knows
    possible = all(0 <= each < math.inf for each in amounts)
    return min(counts) >= 1 and possible and not 0 < learnt < 1


def keep_record(
    folder: Path,
    result: TrainResult,
    *,
    training: Trained,
    resources: ResourceParams,
    expected: Needs,
    key: str,
    beside: int,
) -> Record | None:
    """Write into the checkpoint of a job what it took; nothing where nobody watched it learn.

    `beside` other trainings of its run had the machine with it.
    """
    usage = read_usage(folder / USAGE)
    if usage is None or not training.epochs:  # what learns would take more
        return None
    train_s = result.timings.get("train_s", 0.0)
    done = asdict(training) | {"epochs": training.epochs * _share_done(folder)}
    took = Took(
        key=key,
        training=Trained(**done),
        memory_mib=usage.peak_memory_mib,
        shared_memory_mib=usage.peak_shared_memory_mib,
        device_memory_mib=usage.peak_device_memory_mib,
        train_s=train_s,
        other_s=max(0.0, usage.seconds - train_s),
        beside=beside,
    )
    record = Record(resources.model_dump(exclude_defaults=True), expected, took)
    text = json.dumps(asdict(record), indent=1)
    (folder / result.checkpoint / USAGE).write_text(text, encoding="utf-8")
    return record


def _share_done(folder: Path) -> float:
    """Return the share of its steps after which a training ended; patience may end it early."""
    metrics = folder / "metrics.jsonl"
    lines = metrics.read_bytes().split(b"\n")[:-1] if metrics.is_file() else []
    steps = [event for event in map(json.loads, lines) if event["event"] == "step"]
    return float(steps[-1]["step"] / steps[-1]["steps"]) if steps else 1.0


def _beside(took: float, expected: float, unit: str) -> str:
    return f"{took:.0f} {unit}, expected {expected:.0f}"
