"""The pipeline: a detector and a recogniser under one version, and what they read together.

A second recogniser may read again what the first is unsure of: a cascade. A gap model may part
lines that the detector takes for one. Lines below a confidence may be set aside.
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
from ocr.models.gap_model import GapModel
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

GAP_MODEL = "gaps.npz"
GAP_GAIN = ("gap_model_gain", "gap_model_gain_lower", "gap_model_gain_upper")
"""Metrics: how the end-to-end Hmean of the validation pages changes with it; the 95 % interval."""

MIN_CONFIDENCE_GAIN = (
    "min_confidence_gain",
    "min_confidence_gain_lower",
    "min_confidence_gain_upper",
)
"""The same of setting aside lines below `min_confidence`."""

VERSION = r"^[A-Za-z0-9][A-Za-z0-9._-]*:[A-Za-z0-9][A-Za-z0-9._-]*$"

CARD_TEXT = """# {manifest.name} {manifest.version}

Reads whole pages: `{manifest.detector}` finds the lines, `{manifest.recogniser}` reads them.
{cascade}{gaps}{aside}Made by ocrline on {manifest.created}. All are promoted and rolled back
together.

## Metrics of the parts on the validation split

{metrics}

The report of the evaluation on the test pages, from page to text, is kept by the run that made
this version. `golden/` holds test pages with the lines that the parts read on them.

Other tools load the parts, as their cards say, and read what the nets alone do: models of texts
and of gaps, a second recogniser, what is set aside and the turning of pages are ocrline's.
"""
CASCADE_TEXT = """Lines whose least sure character has a probability below
{manifest.reread_below:.3f} are read again by `{manifest.second_recogniser}`.
"""
GAPS_TEXT = """Lines are parted at wide gaps where the labels of such texts do: `gaps.npz`.
"""
ASIDE_TEXT = """Lines of a confidence below {manifest.min_confidence} are set aside.
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
    min_confidence: float | None = Field(None, gt=0, le=1)
    """Lines of less are set aside; None: none is."""

    required: ClassVar[frozenset[str]] = frozenset({CARD, GOLDEN_OUTPUTS})
    optional: ClassVar[frozenset[str]] = frozenset({GAP_MODEL})

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


def read_gap_model(folder: Path, manifest: PipelineManifest) -> GapModel | None:
    """Read the gap model of a verified pipeline, which not all have.

    Raises:
        BadData: It is damaged.
    """
    return GapModel.read(folder / GAP_MODEL) if GAP_MODEL in manifest.files else None


def write_pipeline(
    folder: Path,
    manifest: PipelineManifest,
    *,
    pages: Iterable[tuple[Image, tuple[PageLine, ...]]],
    gaps: GapModel | None = None,
) -> PipelineManifest:
    """Write the golden pages with what was read on them, the models, the card; last the manifest.

    Args:
        folder: Where; made if it is not there.
        manifest: Complete but for the digests of its files.
        pages: Pages (H, W, 3) BGR with their lines.
        gaps: Parts lines; None: nothing does.
    """
    if gaps is not None:
        folder.mkdir(parents=True, exist_ok=True)
        gaps.write(folder / GAP_MODEL)
    write_golden(
        folder, [(image, {"lines": [line.to_json() for line in lines]}) for image, lines in pages]
    )
    card = _render_card(manifest, parts_lines=gaps is not None)
    (folder / CARD).write_text(card, encoding="utf-8")
    return write_manifest(folder, manifest)


def _render_card(manifest: PipelineManifest, *, parts_lines: bool) -> str:
    metrics = (f"- {name}: {value:.4f}" for name, value in sorted(manifest.metrics.items()))
    cascade = CASCADE_TEXT.format(manifest=manifest) if manifest.second_recogniser else ""
    return CARD_TEXT.format(
        manifest=manifest,
        cascade=cascade,
        gaps=GAPS_TEXT if parts_lines else "",
        aside=ASIDE_TEXT.format(manifest=manifest) if manifest.min_confidence else "",
        metrics="\n".join(metrics),
    )
