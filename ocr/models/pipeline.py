"""The pipeline: one detector and one recogniser under one version, and what they read together."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from ocr.errors import BadData
from ocr.image.pixels import Image, encode_png
from ocr.models.bundle import (
    CARD,
    GOLDEN_INPUTS,
    GOLDEN_OUTPUTS,
    ModelManifest,
    parse_manifest,
    verify_files,
    write_manifest,
)
from ocr.models.golden_outputs import golden_image, read_records
from ocr.models.page_line import PageLine

VERSION = r"^[A-Za-z0-9][A-Za-z0-9._-]*:[A-Za-z0-9][A-Za-z0-9._-]*$"


class PipelineManifest(ModelManifest):
    """What a pipeline says of itself; its parts are NAME:VERSION of the same registry."""

    task: Literal["pipeline"] = "pipeline"
    detector: str = Field(pattern=VERSION)
    recogniser: str = Field(pattern=VERSION)

    required: ClassVar[frozenset[str]] = frozenset({CARD, GOLDEN_OUTPUTS})


@dataclass(frozen=True)
class GoldenPage:
    """One golden page and the lines that the pipeline read on it, in reading order."""

    image: Path
    lines: tuple[PageLine, ...]


def pipeline_version(*, detector: str, recogniser: str) -> str:
    """Return the version of a pipeline: it follows from those of its parts (NAME:VERSION)."""
    return sha256(f"{detector}\n{recogniser}".encode()).hexdigest()[:12]


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
    card: str,
    pages: Iterable[tuple[Image, tuple[PageLine, ...]]],
) -> PipelineManifest:
    """Write the card, the golden pages and what was read on them, and the manifest, last.

    Args:
        folder: Of the pipeline; made if it is not there.
        manifest: All but its files.
        card: What a person reads of it, Markdown.
        pages: Pages (H, W, 3) BGR with their lines.
    """
    (folder / GOLDEN_INPUTS).mkdir(parents=True, exist_ok=True)
    outputs = []
    for number, (image, lines) in enumerate(pages):
        file = f"{number:03d}.png"
        (folder / GOLDEN_INPUTS / file).write_bytes(encode_png(image))
        outputs.append({"file": file, "lines": [_describe(line) for line in lines]})
    content = json.dumps({"images": outputs}, ensure_ascii=False, indent=1)
    (folder / GOLDEN_OUTPUTS).write_text(content, encoding="utf-8")
    (folder / CARD).write_text(card, encoding="utf-8")
    return write_manifest(folder, manifest)


def read_golden_pages(folder: Path) -> list[GoldenPage]:
    """Read the golden pages of a pipeline.

    Raises:
        BadData: There are none, or they are not readable.
    """
    try:
        return [
            GoldenPage(
                image=golden_image(folder, record),
                lines=tuple(_parse_line(line) for line in record["lines"]),
            )
            for record in read_records(folder, "lines")
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise BadData(f"{GOLDEN_OUTPUTS} is unreadable: {error!r}") from error


def _describe(line: PageLine) -> dict[str, object]:
    polygon = [[round(x, 2), round(y, 2)] for x, y in line.polygon]
    return {"text": line.text, "confidence": round(line.confidence, 4), "polygon": polygon}


def _parse_line(line: dict[str, Any]) -> PageLine:
    return PageLine(
        polygon=tuple((float(x), float(y)) for x, y in line["polygon"]),
        text=str(line["text"]),
        confidence=float(line["confidence"]),
    )
