"""What MLflow is told of a retraining: numbers and names, never an image and never a key."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Literal

from configs.base import Params
from ocr.dataset.preparation import SnapshotRef
from ocr.evaluation.report import MOST_REPORT_BYTES
from tasks.judging.conclusion import read_curves, read_environment
from tasks.references import CheckpointRef, EvaluationRef, JudgementRef, ModelRef
from tasks.workspace import Workspace

Status = Literal["RUNNING", "FINISHED", "FAILED"]
Curve = list[tuple[int, float]]
"""Values by step."""


@dataclass
class Made:
    """What the stages of a retraining made so far."""

    dataset: SnapshotRef | None = None
    checkpoints: tuple[CheckpointRef, ...] = ()
    model: ModelRef | None = None
    evaluation: EvaluationRef | None = None
    judgement: JudgementRef | None = None

    def add(self, made: object) -> None:
        """Add what a stage made: one thing, or several of a kind."""
        for each in made if isinstance(made, tuple) else (made,):
            match each:
                case SnapshotRef():
                    self.dataset = each
                case CheckpointRef():
                    self.checkpoints += (each,)
                case ModelRef():
                    self.model = each
                case EvaluationRef():
                    self.evaluation = each
                case JudgementRef():
                    self.judgement = each


@dataclass(frozen=True)
class Record:
    """One run of one experiment; written again, it says the same once.

    Attributes:
        experiment: The model.
        key: Of the parameters, the data and the checkpoints: the same inputs are the same run.
        name: What the run is called.
        status: As MLflow spells it.
        params: Parameters by dotted key.
        tags: Lineage, environment, decision.
        metrics: Numbers that are measured once.
        curves: Those of the training.
    """

    experiment: str
    key: str
    name: str
    status: Status
    params: Mapping[str, str]
    tags: Mapping[str, str]
    metrics: Mapping[str, float]
    curves: Mapping[str, Curve] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """Write it for the process that knows MLflow."""
        return json.dumps(asdict(self)).encode()


def make_record(
    workspace: Workspace, params: Params, name: str, made: Made, status: Status
) -> Record:
    """Read what the store says of what was made.

    Args:
        workspace: The store.
        params: Of the retraining.
        name: Of the model.
        made: At least the dataset and the checkpoints.
        status: Of the run.
    """
    flat = dict(_flatten(params.model_dump(mode="json")))
    decides = [flat, made.dataset and made.dataset.key, [each.key for each in made.checkpoints]]
    key = sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()
    return Record(
        experiment=name,
        key=key,
        name=made.model.version if made.model else key[:12],
        status=status,
        params=flat,
        tags=_tags(workspace, made),
        metrics=dict(_metrics(workspace, made)),
        curves=_curves(workspace, made.checkpoints),
    )


def _flatten(params: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in params.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value if isinstance(value, str) else json.dumps(value)


def _tags(workspace: Workspace, made: Made) -> dict[str, str]:
    tags = {"dataset": made.dataset.key if made.dataset else "", "store": workspace.store.uri}
    for net, checkpoint in _by_net(made.checkpoints):
        tags[f"checkpoint{net}"] = checkpoint.key
        tags[f"code{net}"] = checkpoint.code
        environment = read_environment(workspace, checkpoint.key)
        tags |= {f"environment{net}.{name}": said for name, said in environment.items()}
    if made.model:
        tags["version"] = made.model.reference
        manifest = workspace.registry.resolve(made.model.reference).manifest
        tags["parent"] = str(manifest.get("parent") or "")
    if made.evaluation:
        tags["evaluation"] = made.evaluation.key
        tags["opponent"] = made.evaluation.opponent
    if made.judgement:
        tags["decision"] = made.judgement.verdict
        tags["reasons"] = " ".join(made.judgement.reasons)
        tags["report"] = _find_report(workspace, made.evaluation) or made.judgement.report
        tags |= _find_approval(workspace, made.model)
    return {name: value for name, value in tags.items() if value}


def _metrics(workspace: Workspace, made: Made) -> Iterator[tuple[str, float]]:
    for net, checkpoint in _by_net(made.checkpoints):
        for name, value in checkpoint.metrics.items():
            yield f"validation{net}/{name}", value
    if made.evaluation is None:
        return
    key = f"{made.evaluation.key}/report.json"
    report = json.loads(workspace.store.read_bytes(key, most=MOST_REPORT_BYTES))
    for who, part in (("test", report["candidate"]), ("opponent", report.get("opponent") or {})):
        for name, interval in part.get("intervals", {}).items():
            for end, value in interval.items():
                yield f"{who}/{name}{'' if end == 'value' else f'_{end}'}", float(value)


def _curves(workspace: Workspace, checkpoints: Sequence[CheckpointRef]) -> dict[str, Curve]:
    """Return each number of a training's events by step; of a step that was repeated, the last."""
    curves: dict[str, dict[int, float]] = defaultdict(dict)
    for net, checkpoint in _by_net(checkpoints):
        for event in read_curves(workspace, checkpoint.key):
            step = event.get("step")
            if event.get("event") not in ("step", "validation") or not isinstance(step, int):
                continue
            for name, value in event.items():
                if isinstance(value, float) and name != "seconds_left":
                    curves[f"{event['event']}{net}/{name}"][step] = value
    return {name: sorted(points.items()) for name, points in curves.items()}


def _by_net(checkpoints: Sequence[CheckpointRef]) -> Iterable[tuple[str, CheckpointRef]]:
    """Tell the nets of pages apart; a single one needs no name."""
    if len(checkpoints) < 2:
        return [("", each) for each in checkpoints]
    return zip((".detector", ".recogniser"), checkpoints, strict=True)


def _find_report(workspace: Workspace, evaluation: EvaluationRef | None) -> str:
    if evaluation is None:
        return ""
    folder = f"reports/{evaluation.key.rpartition('/')[2]}"
    newest = max(workspace.store.entries(folder), key=lambda each: each.modified, default=None)
    return f"{workspace.store.uri}/{newest.key}" if newest else ""


def _find_approval(workspace: Workspace, model: ModelRef | None) -> dict[str, str]:
    """Say who made the version champion, and when, if anybody did."""
    moves = workspace.registry.history(model.name) if model else []
    for move in reversed(moves):
        if model and move.version == model.version and move.action == "promote":
            approved_by = asdict(move).get("approved_by", "")
            return {"promoted": move.at, "promoted.reason": move.reason, "approved_by": approved_by}
    return {}
