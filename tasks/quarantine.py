"""What a preparation rejected, as a person sees it."""

from collections.abc import Sequence

from prefect.artifacts import create_markdown_artifact
from prefect.context import TaskRunContext
from rich.markup import escape
from rich.table import Table

from ocr.dataset.quarantine import ReasonCount
from tasks.narration import TERMINAL


def show_quarantine(reasons: Sequence[ReasonCount]) -> None:
    """Show the table of reasons in the terminal and as an artifact of the task."""
    table = Table(title="quarantine", title_justify="left", header_style="bold")
    for column in ("reason", "rows", "for example"):
        table.add_column(column, overflow="fold")
    markdown = ["| reason | rows | for example |", "|---|---|---|"]
    for reason in reasons:
        first = reason.examples[0]
        example = f"{first.where} {first.image} {first.text!r}: {first.detail}"
        table.add_row(reason.reason, str(reason.count), escape(example))
        cell = example.replace("|", "\\|").replace("<", "&lt;")
        markdown.append(f"| {reason.reason} | {reason.count} | {cell} |")
    TERMINAL.print(table)
    if TaskRunContext.get() is not None:
        create_markdown_artifact("\n".join(markdown), key="quarantine")
