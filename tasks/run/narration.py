"""What a person watching sees: a line in the terminal and in the run's log."""

import logging

from prefect import get_run_logger
from prefect.exceptions import MissingContextError
from rich.console import Console
from rich.markup import escape

TERMINAL = Console(stderr=True, highlight=False, emoji=False)


def narrate(stage: str, message: str) -> None:
    """Say one thing about a stage, in the terminal and in the Prefect log."""
    TERMINAL.print(f"[bold cyan]{stage:>9}[/]  {escape(message)}", soft_wrap=True)
    try:
        get_run_logger().info("%s", message)
    except MissingContextError:
        logging.getLogger(__name__).info("%s", message)
