"""The model card of a bundle: what it is, how to load it, what it cannot do."""

from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from configs.jobs import ExportJob
from ocr.snapshot_manifest import SnapshotManifest
from training.paddle_form import REGISTERED_NAME
from training.recogniser_net import NetSpec

TEMPLATE = Path(__file__).with_name("card.md.jinja")


def render_card(
    *,
    job: ExportJob,
    created: str,
    net_spec: NetSpec,
    dataset: SnapshotManifest,
    parity: Mapping[str, float],
) -> str:
    """Render the card as Markdown."""
    # Markdown: nothing to escape as HTML.
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)  # noqa: S701
    environment.filters |= {"cell": _format_cell, "code": _format_code}
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        job=job,
        created=created,
        spec=net_spec,
        dataset=dataset,
        parity=parity,
        model_name=REGISTERED_NAME,
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
