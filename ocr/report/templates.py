"""The templates of the reports, and what they may say."""

from pathlib import Path

import jinja2

VERDICTS = {
    "promote": "Promote",
    "hold": "Hold",
    "block": "Block",
}


def _percent(value: float) -> str:
    return f"{100 * value:.1f}%"


def _visible(text: str) -> str:
    """Show spaces, and say where there is no text at all."""
    return text.replace(" ", "␣") or "∅"


def _make_templates() -> jinja2.Environment:
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(percent=_percent, visible=_visible)
    return templates


TEMPLATES = _make_templates()
