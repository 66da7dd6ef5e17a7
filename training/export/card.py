"""The model card of a bundle: what it is, how to load it, what it cannot do."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from configs.jobs import ExportParams
from ocr.dataset.snapshot.manifest import SnapshotManifest


def render_card(
    template: str,
    *,
    job: ExportParams,
    created: str,
    dataset: SnapshotManifest,
    parity: Mapping[str, float],
    model: Mapping[str, Any],
) -> str:
    """Render the card as Markdown.

    Args:
        template: Name of the template beside this file.
        job: What was exported.
        created: When, ISO 8601.
        dataset: Manifest of the snapshot it was trained on.
        parity: Largest difference by form.
        model: Values that only this template uses.
    """
    # Markdown: nothing to escape as HTML.
    environment = Environment(  # noqa: S701
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters |= {"cell": _format_cell, "code": _format_code}
    return environment.get_template(template).render(
        job=job, created=created, dataset=dataset, parity=parity, **model
    )


def _format_cell(value: object) -> str:
    return " ".join(str(value).replace("|", r"\|").split())


def _format_code(text: str) -> str:
    """Quote a text that may hold backticks."""
    longest = max((len(run) for run in _backtick_runs(text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}"


def _backtick_runs(text: str) -> list[str]:
    return "".join(character if character == "`" else " " for character in text).split()
