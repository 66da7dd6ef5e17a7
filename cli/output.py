"""How commands answer: tables for people on the terminal, one JSON document for machines."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ocr.terminal import Terminal

_ESCAPED = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}
"""As JSON may have them: some terminals obey them."""
OUT = Terminal()
ERR = Terminal(stderr=True)


def keep_prefect_silent() -> None:
    """Leave Prefect's own lines to its log: the terminal hears the stages themselves."""
    for name in ("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "PREFECT_INTERNAL_LOGGING_LEVEL"):
        os.environ.setdefault(name, "CRITICAL")


def print_json(value: Any) -> None:
    """Print one JSON document to standard output."""
    typer.echo(to_json(value))


def to_json(value: Any) -> str:
    """Return a JSON document in one line; of a file's name also what is no UTF-8."""
    document = json.dumps(value, ensure_ascii=False, default=_plain).translate(_ESCAPED)
    return document.encode("utf-8", "backslashreplace").decode()  # as JSON escapes it


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under a title; what looks like markup is printed as it is."""
    table = Table(title=escape(title), title_justify="left", header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*[_as_it_is(str(cell)) for cell in row])
    OUT.print(table)


def tell(mark: str, message: str) -> None:
    """Print a message after a mark; a line within it, as of a file's name, passes for no other."""
    ERR.print(mark, _as_it_is(message.replace("\n", "\n  ")), soft_wrap=True)


def refuse(message: str, code: int) -> int:
    """Print why a command ends; return its exit code."""
    tell("[bold red]error:[/]", message)
    return code


def _as_it_is(text: str) -> Text:
    return OUT.render_str(text, markup=False)


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)
