"""How fast a net learns, by the schedules of PaddleOCR's configs."""

from collections.abc import Mapping
from typing import Any

from ocr.errors import BadInput

RATES = {
    f"Optimizer.lr.{key}": (None, "training.learning_rate") for key in ("learning_rate", "values")
}
"""Keys that say how fast, and what sets them."""


def set_learning_rate(config: Mapping[str, Any], peak: float) -> None:
    """Set the highest rate of a schedule; one of steps keeps what they are to each other.

    Raises:
        BadInput: It has neither a highest rate nor steps.
    """
    schedule = config["Optimizer"]["lr"]
    values = schedule.get("values")
    if "learning_rate" in schedule:
        schedule["learning_rate"] = peak
    elif isinstance(values, list) and values and all(_is_rate(value) for value in values):
        schedule["values"] = [peak * value / max(values) for value in values]
    else:
        name = schedule.get("name", "its schedule")
        raise BadInput(f"training.net: Optimizer.lr of it is {name}, which takes no learning_rate")


def _is_rate(value: Any) -> bool:
    return isinstance(value, float | int) and 0 < value <= 1
