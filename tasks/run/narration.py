"""What a person watching sees: a line in the terminal and in the run's log."""

import logging
from threading import main_thread

from prefect import get_run_logger
from prefect.exceptions import MissingContextError
from rich.markup import escape

from ocr.errors import OcrError
from ocr.terminal import Terminal

TERMINAL = Terminal(stderr=True)


def narrate(stage: str, message: str) -> None:
    """Say one thing about a stage, in the terminal and in the Prefect log."""
    TERMINAL.print(f"[bold cyan]{stage:>9}[/]  {escape(message)}", soft_wrap=True)
    if not main_thread().is_alive():  # Prefect's log is closed, and would print a trace
        return
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
