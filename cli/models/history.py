"""``ocrline models history``: what became of every version, and the trend of the metrics."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import AsJson, StoreUri, settings_for
from cli.output import OUT, print_json, print_table
from ocr.errors import BadInput

if TYPE_CHECKING:
    from ocr.lineage.history import History, VersionRow

BARS = "▁▂▃▄▅▆▇█"
UNKNOWN = "·"


def history(
    name: Annotated[str, typer.Argument(help="Name of the model.")],
    metric: Annotated[str, typer.Option(help="Only this metric; default: all.")] = "",
    html: Annotated[str, typer.Option(help="HTML file to write the page with the trend to.")] = "",
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """List all versions: promoted, refused, held, rolled back, when and why, and their trend."""
    from ocr.lineage.history import read_history
    from ocr.lineage.page import render_history
    from tasks.workspace import open_workspace

    found = read_history(open_workspace(settings_for(store)).registry, name)
    metrics = _choose(found, metric)
    if html:
        Path(html).write_text(render_history(found, metrics), encoding="utf-8")
    if as_json:
        trends = {each: dict(found.trend(each)) for each in metrics}
        said = {"name": name, "versions": found.rows, "test_set": found.test_set}
        print_json(said | {"trends": trends})
    else:
        _print(found, metrics)


def draw_sparkline(values: Sequence[float | None]) -> str:
    """Draw values between their least and their most; a dot where there is none."""
    known = [value for value in values if value is not None]
    least, most = min(known, default=0.0), max(known, default=0.0)
    span = (most - least) or 1.0
    last = len(BARS) - 1
    return "".join(
        UNKNOWN if value is None else BARS[round((value - least) / span * last)] for value in values
    )


def _choose(found: "History", metric: str) -> tuple[str, ...]:
    if metric and metric not in found.metrics:
        known = ", ".join(found.metrics) or "none"
        raise BadInput(f"No version of {found.name!r} was measured by {metric!r}; known: {known}")
    return (metric,) if metric else found.metrics


def _print(found: "History", metrics: Sequence[str]) -> None:
    deciding = metrics[:1]
    print_table(
        f"versions of {found.name}",
        ["version", "made (UTC)", "became", "at (UTC)", *deciding, "why"],
        [
            (
                row.version,
                _short(row.created) or "gone",
                row.fate or "unknown",
                _short(row.at),
                *(_say(row, metric, found.test_set) for metric in deciding),
                row.why or "no decision of it is kept",
            )
            for row in found.rows
        ],
    )
    if not metrics:
        return
    OUT.print(
        f"trend over versions on the same {found.samples} test samples, {UNKNOWN}: reads others"
    )
    for metric in metrics:
        values = [each.value if each else None for _, each in found.trend(metric)]
        known = [value for value in values if value is not None]
        ends = f"{known[0]:.4f} → {known[-1]:.4f}" if known else ""
        OUT.print(f"{metric:>24}  {draw_sparkline(values)}  {ends}", markup=False)
    if any(row.measured and not row.on(found.test_set).metrics for row in found.rows):
        OUT.print("* on other samples: dataset.split.frozen_test keeps them the same")


def _say(row: "VersionRow", metric: str, test_set: str) -> str:
    interval = row.on(test_set).metrics.get(metric)
    if interval:
        return f"{interval.value:.4f}"
    interval = row.own.metrics.get(metric)
    return f"{interval.value:.4f} *" if interval else "–"


def _short(moment: str) -> str:
    return moment[:16].replace("T", " ")
