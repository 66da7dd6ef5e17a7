"""What a candidate was made of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ocr.dataset.quarantine import ReasonCount
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.evaluation.lines.text_gain import find_reason
from ocr.models.bundle import INT8_MODEL, INT8_PRICE, TEXT_MODEL, TEXT_MODEL_GAIN, ModelManifest
from ocr.models.pipeline import (
    CASCADE,
    GAP_GAIN,
    GAP_MODEL,
    MIN_CONFIDENCE_GAIN,
    PipelineManifest,
)


@dataclass(frozen=True)
class Lineage:
    """What made the candidate; everything that is not known is left empty.

    Attributes:
        model: Name of the model; ``version``: the candidate's.
        opponent: Whom it was measured beside; ``champion``: the version that was champion then.
        parent: Version it was fine-tuned from.
        created: When it was made, ISO 8601.
        code_commit: Commit of the code that trained it, or its release.
        text_model: What a model of the training texts changes; of a recogniser.
        int8: What reading in 8 bits changes.
        cascade: What a second recogniser changes; of a pipeline.
        gaps: What parting lines at wide gaps changes; of a pipeline.
        set_aside: Which lines are set aside, and what that changes; of a pipeline.
        dataset: Key of the snapshot in the store; ``dataset_digest``: its digest.
        further: Keys of the snapshots of further test sets, by their names.
        splits: Samples per split.
        quarantine: Rejected rows per reason.
        parameters: Of the training, nested as in the preset.
        environment: Versions and devices of the training.
    """

    model: str
    version: str
    opponent: str = ""
    champion: str = ""
    parent: str = ""
    created: str = ""
    code_commit: str = ""
    text_model: str = ""
    int8: str = ""
    cascade: str = ""
    gaps: str = ""
    set_aside: str = ""
    dataset: str = ""
    dataset_digest: str = ""
    further: Mapping[str, str] = field(default_factory=dict)
    splits: Mapping[str, int] = field(default_factory=dict)
    quarantine: Sequence[ReasonCount] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)


def describe_lineage(
    manifest: ModelManifest,
    *,
    dataset: str,
    opponent: str,
    champion: str,
    snapshot: SnapshotManifest,
    environment: Mapping[str, str],
    further: Mapping[str, str],
) -> Lineage:
    """Say what a version was made of, what it was measured on, by key, and beside whom."""
    return replace(
        describe_part(manifest, environment=environment),
        dataset=dataset,
        opponent=opponent,
        champion=champion,
        further=further,
        splits={split: snapshot.counts[split] for split in ("train", "val", "test")},
        quarantine=snapshot.quarantine,
    )


def describe_part(manifest: ModelManifest, *, environment: Mapping[str, str]) -> Lineage:
    """Say what a version was made of, and in which environment it was trained."""
    return Lineage(
        model=manifest.name,
        version=manifest.version,
        parent=manifest.parent,
        created=manifest.created,
        code_commit=manifest.code_commit,
        text_model=_describe_text_model(manifest),
        int8=_describe_int8(manifest),
        cascade=_describe_cascade(manifest),
        gaps=_describe_gaps(manifest),
        set_aside=_describe_set_aside(manifest),
        dataset_digest=manifest.dataset_digest,
        parameters=manifest.parameters,
        environment=environment,
    )


def _describe_text_model(manifest: ModelManifest) -> str:
    gain, lower, upper = (manifest.metrics.get(name) for name in TEXT_MODEL_GAIN)
    if gain is None:
        return ""
    left_out = f"left out, as {find_reason(manifest.metrics)}"
    said = "read with" if TEXT_MODEL in manifest.files else left_out
    bounds = "" if lower is None or upper is None else f" ({lower:+.4f} to {upper:+.4f})"
    return f"{said}; validation lines read right: {gain:+.4f}{bounds}"


def _describe_int8(manifest: ModelManifest) -> str:
    change, lower, upper, alike, time = (manifest.metrics.get(name) for name in INT8_PRICE)
    if change is None or lower is None or upper is None or alike is None or time is None:
        return ""
    said = "read in them" if INT8_MODEL in manifest.files else "left out, as they do not pay"
    return (
        f"{said}; on the validation split {change:+.4f} ({lower:+.4f} to {upper:+.4f}), "
        f"{alike:.1%} of the lines alike, in {time:.2f} times the time"
    )


def _describe_cascade(manifest: ModelManifest) -> str:
    share, factor, gain, lower, upper = (manifest.metrics.get(name) for name in CASCADE)
    if share is None or factor is None or gain is None or lower is None or upper is None:
        return ""
    second = manifest.second_recogniser if isinstance(manifest, PipelineManifest) else None
    said = f"read again by {second}" if second else "left out, as it does not help"
    return (
        f"{said}: {share:.1%} of the validation lines, in {factor:.2f} times the time of reading; "
        f"read right: {gain:+.4f} ({lower:+.4f} to {upper:+.4f})"
    )


def _describe_gaps(manifest: ModelManifest) -> str:
    gain, lower, upper = (manifest.metrics.get(name) for name in GAP_GAIN)
    if gain is None or lower is None or upper is None:
        return ""
    said = "parted" if GAP_MODEL in manifest.files else "not parted, as it does not help"
    return f"{said}; {_describe_change(gain, lower, upper)}"


def _describe_set_aside(manifest: ModelManifest) -> str:
    gain, lower, upper = (manifest.metrics.get(name) for name in MIN_CONFIDENCE_GAIN)
    if gain is None or lower is None or upper is None:
        return ""
    least = manifest.min_confidence if isinstance(manifest, PipelineManifest) else None
    said = f"below {least:.0%}" if least else "none, as it does not help"
    return f"{said}; {_describe_change(gain, lower, upper)}"


def _describe_change(gain: float, lower: float, upper: float) -> str:
    change = f"{gain:+.4f} ({lower:+.4f} to {upper:+.4f})"
    return f"end-to-end Hmean of the validation pages: {change}"


def flatten(parameters: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield (dotted path, value) of nested parameters."""
    for key, value in parameters.items():
        if isinstance(value, Mapping):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(value)
