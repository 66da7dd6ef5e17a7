"""The pipeline: a detector and a recogniser under one version, and what they read together.

A second recogniser may read again what the first is unsure of: a cascade.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from ocr.image.pixels import Image
from ocr.models.bundle import (
    CARD,
    GOLDEN_OUTPUTS,
    ModelManifest,
    parse_manifest,
    verify_files,
    write_manifest,
)
from ocr.models.golden import write_golden
from ocr.models.page_line import PageLine
from ocr.models.registry import ModelVersion

CASCADE = (
    "cascade_share",
    "cascade_time_factor",
    "cascade_gain",
    "cascade_gain_lower",
    "cascade_gain_upper",
)
"""Metrics: the share of the validation lines that a second recogniser reads again, how many times
the time of reading that takes, how many more are read right, and the 95 % interval."""

VERSION = r"^[A-Za-z0-9][A-Za-z0-9._-]*:[A-Za-z0-9][A-Za-z0-9._-]*$"

CARD_TEXT = """# {manifest.name} {manifest.version}

Reads whole pages: `{manifest.detector}` finds the lines, `{manifest.recogniser}` reads them.
{cascade}Made by ocrline on {manifest.created}. All are promoted and rolled back as this version.

## Metrics of the parts on the validation split

{metrics}

The report of the evaluation on the test pages, from page to text, is kept by the run that made
this version. `golden/` holds test pages with the lines that the parts read on them.
"""
CASCADE_TEXT = """Lines whose least sure character has a probability below
{manifest.reread_below:.3f} are read again by `{manifest.second_recogniser}`.
"""


class PipelineManifest(ModelManifest):
    """What a pipeline says of itself; its parts are NAME:VERSION of the same registry."""

    task: Literal["pipeline"] = "pipeline"
    detector: str = Field(pattern=VERSION)
    recogniser: str = Field(pattern=VERSION)
    second_recogniser: str | None = Field(None, pattern=VERSION)
    """Reads again what the recogniser is unsure of; None: nobody does."""
    reread_below: float | None = Field(None, gt=0, le=1)
    """Probability of a line's least sure character below which it is read again."""

    required: ClassVar[frozenset[str]] = frozenset({CARD, GOLDEN_OUTPUTS})

    @model_validator(mode="after")
    def _check_cascade(self) -> "PipelineManifest":
        if (self.second_recogniser is None) != (self.reread_below is None):
            raise ValueError("second_recogniser and reread_below belong together")
        return self


def join_metrics(*parts: ModelVersion) -> dict[str, float]:
    """Return the metrics of all parts, each with its part's task before its name."""
    return {
        f"{part.task}_{name}": float(value)
        for part in parts
        for name, value in part.metrics.items()
    }


def read_pipeline(folder: Path) -> PipelineManifest:
    """Read the manifest of a pipeline and verify every file.

    Raises:
        ArtifactNotFound: There is no manifest, or a file is missing.
        BadData: It is of another task, the manifest is malformed, a file is damaged, or one is
            there that may not be.
    """
    return verify_files(folder, read_pipeline_manifest(folder))


def read_pipeline_manifest(folder: Path) -> PipelineManifest:
    """Read the manifest of a pipeline alone, no file verified."""
    return parse_manifest(folder, PipelineManifest, task="pipeline")


def write_pipeline(
    folder: Path,
    manifest: PipelineManifest,
    *,
    pages: Iterable[tuple[Image, tuple[PageLine, ...]]],
) -> PipelineManifest:
    """Write the golden pages with what was read on them, the card, and the manifest, last.

    Args:
        folder: Where; made if it is not there.
        manifest: Complete but for the digests of its files.
        pages: Pages (H, W, 3) BGR with their lines.
    """
    write_golden(
        folder, [(image, {"lines": [line.to_json() for line in lines]}) for image, lines in pages]
    )
    (folder / CARD).write_text(_render_card(manifest), encoding="utf-8")
    return write_manifest(folder, manifest)


def _render_card(manifest: PipelineManifest) -> str:
    metrics = (f"- {name}: {value:.4f}" for name, value in sorted(manifest.metrics.items()))
    cascade = CASCADE_TEXT.format(manifest=manifest) if manifest.second_recogniser else ""
    return CARD_TEXT.format(manifest=manifest, cascade=cascade, metrics="\n".join(metrics))
