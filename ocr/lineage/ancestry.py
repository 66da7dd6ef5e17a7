"""One version down to its data and code, as far as the store knows: nothing is guessed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ocr.gate.approval import Answer, read_answers
from ocr.lineage.data import CopyTables, Data, read_data
from ocr.lineage.decision import KeptDecision, read_decisions
from ocr.models.alias import Promotion
from ocr.models.bundle import INT8_MODEL, ONNX_MODEL
from ocr.models.pipeline import GAP_MODEL
from ocr.models.registry import ModelVersion, Registry
from ocr.store.protocol import Store

FORMS = {"paddle": "paddle/", "serving": "serving/", "onnx": ONNX_MODEL, "int8": INT8_MODEL}


@dataclass(frozen=True)
class Training:
    """The job that a version came from.

    Attributes:
        checkpoint: Key of what it left; empty: the version names none.
        is_there: Whether that is still in the store; else nothing below is known.
        metrics: On the validation split.
        environment: Commit of the code, Python, Paddle, the machine.
        seconds: That the training took; None: it was not kept.
        memory_mib: That it took at most; None: it was not kept.
    """

    checkpoint: str
    is_there: bool
    metrics: Mapping[str, float]
    environment: Mapping[str, str]
    seconds: float | None
    memory_mib: float | None


@dataclass(frozen=True)
class Ancestry:
    """A version and what it came from.

    Attributes:
        reference: NAME:VERSION.
        parent: NAME:VERSION that it was fine-tuned from; empty: none.
        forms: In which it was exported.
        parity: How far each form is from the checkpoint.
        size_mb: Of the nets that are served; a pipeline's are those of its parts.
        training: Of a pipeline None.
        parts: Of a pipeline, by what they do.
        reading: Of a pipeline, what its validation pages chose to read with besides, by name.
        decisions: Of the gate on it, oldest first.
        moves: Of the champion alias to it and away from it, oldest first.
        answers: Of people who were asked about it.
        is_champion: Whether it is champion now.
        is_kept: Of the evaluations and reports that decisions and moves name, whether each is still
            in the store.
    """

    reference: str
    task: str
    created: str
    code_commit: str
    parent: str
    parameters: Mapping[str, Any]
    metrics: Mapping[str, float]
    forms: tuple[str, ...]
    parity: Mapping[str, float]
    size_mb: float
    training: Training | None
    data: Data
    parts: Mapping[str, "Ancestry"]
    reading: Mapping[str, str]
    decisions: tuple[KeptDecision, ...]
    moves: tuple[Promotion, ...]
    answers: tuple[Answer, ...]
    is_champion: bool
    is_kept: Mapping[str, bool]


def read_ancestry(registry: Registry, model: ModelVersion, copy_tables: CopyTables) -> Ancestry:
    """Read what a version came from.

    Raises:
        BadData: What the store says of it is damaged.
    """
    manifest = model.manifest
    parts = {
        role: read_ancestry(registry, registry.resolve(part), copy_tables)
        for role, part in model.parts.items()
    }
    champion = registry.champion(model.name)
    decisions = tuple(
        each for each in read_decisions(registry.store, model.name) if each.version == model.version
    )
    moves = tuple(
        move
        for move in registry.history(model.name)
        if model.version in (move.version, move.previous)
    )
    parent = str(manifest.get("parent") or "")
    return Ancestry(
        reference=model.reference,
        task=model.task,
        created=model.created,
        code_commit=str(manifest.get("code_commit") or ""),
        parent=f"{model.name}:{parent}" if parent else "",
        parameters=manifest.get("parameters") or {},
        metrics=model.metrics,
        forms=tuple(form for form, start in FORMS.items() if _has(manifest, start)),
        parity=manifest.get("parity") or {},
        size_mb=sum(part.size_mb for part in parts.values()) or _size_mb(registry.store, model),
        training=None if parts else _read_training(registry.store, manifest),
        data=read_data(registry.store, str(manifest.get("dataset_digest")), copy_tables),
        parts=parts,
        reading=_read_choices(manifest),
        decisions=decisions,
        moves=moves,
        answers=tuple(
            answer
            for key in dict.fromkeys(each.evaluation for each in decisions)
            for answer in read_answers(registry.store, key)
        ),
        is_champion=champion is not None and champion.version == model.version,
        is_kept=_look(registry.store, decisions, moves),
    )


def _look(
    store: Store, decisions: Sequence[KeptDecision], moves: Sequence[Promotion]
) -> dict[str, bool]:
    evaluations = [*(each.evaluation for each in decisions), *(move.evaluation for move in moves)]
    found = {key: store.exists(f"{key}/report.json") for key in evaluations if key}
    return found | {each.report: store.exists(each.report) for each in decisions}


def _read_choices(manifest: Mapping[str, Any]) -> dict[str, str]:
    chosen = {"gap_model": GAP_MODEL if _has(manifest, GAP_MODEL) else None}
    chosen |= {name: manifest.get(name) for name in ("reread_below", "min_confidence")}
    return {name: str(value) for name, value in chosen.items() if value}


def _has(manifest: Mapping[str, Any], start: str) -> bool:
    return any(name.startswith(start) for name in manifest.get("files") or {})


def _size_mb(store: Store, model: ModelVersion) -> float:
    form = INT8_MODEL if _has(model.manifest, INT8_MODEL) else ONNX_MODEL
    entries = store.entries(f"{model.key}/onnx")
    return sum(entry.size for entry in entries if entry.key == f"{model.key}/{form}") / 1e6


def _read_training(store: Store, manifest: Mapping[str, Any]) -> Training:
    checkpoint = str(manifest.get("checkpoint") or "")
    if not checkpoint or not store.exists(f"{checkpoint}/result.json"):
        return Training(checkpoint, False, {}, {}, None, None)
    result = json.loads(store.read_bytes(f"{checkpoint}/result.json"))
    seconds = result.get("timings", {}).get("train_s")
    took = _read_usage(store, f"{checkpoint}/usage.json")
    return Training(
        checkpoint,
        True,
        metrics=result.get("metrics", {}),
        environment=result.get("environment", {}),
        seconds=seconds,
        memory_mib=took.get("memory_mib"),
    )


def _read_usage(store: Store, key: str) -> dict[str, Any]:
    if not store.exists(key):
        return {}
    took: dict[str, Any] = json.loads(store.read_bytes(key)).get("took") or {}
    return took
