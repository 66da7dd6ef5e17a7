"""What a person watching sees: a line in the terminal and in the run's log."""

import logging
import sys

from prefect import get_run_logger
from prefect.exceptions import MissingContextError
from rich.console import Console
from rich.markup import escape

from ocr.errors import OcrError

# A pipe or a file has no width at which names are to be broken in two.
_IS_SEEN = sys.stderr and sys.stderr.isatty()
TERMINAL = Console(stderr=True, highlight=False, emoji=False, width=None if _IS_SEEN else 1 << 16)


def narrate(stage: str, message: str) -> None:
    """Say one thing about a stage, in the terminal and in the Prefect log."""
    TERMINAL.print(f"[bold cyan]{stage:>9}[/]  {escape(message)}", soft_wrap=True)
    try:
        get_run_logger().info("%s", message)
    except MissingContextError:
        logging.getLogger(__name__).info("%s", message)


def log_refusals_plainly() -> None:
    """Leave the traces of our own errors, whose message is all that helps, out of runs' logs."""
    for of in ("flow_runs", "task_runs"):
        logging.getLogger(f"prefect.{of}").addFilter(_cut_trace)


def _cut_trace(record: logging.LogRecord) -> bool:
    if record.exc_info and isinstance(record.exc_info[1], OcrError):
        record.exc_info = None
    return True
