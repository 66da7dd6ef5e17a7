"""The base of every parameter model: frozen, typed, no unknown keys."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict

NAME_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,62}$"


def _check_pattern(written: str) -> str:
    try:
        re.compile(written)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"it is no regular expression: {error}") from error
    return written


PathPattern = Annotated[str, AfterValidator(_check_pattern)]
"""A regular expression; empty: none."""


def keep_field_order(schema: dict[str, Any]) -> None:
    """Prefect's form sorts nested fields by name unless each carries a position."""
    for position, field in enumerate(schema.get("properties", {}).values()):
        field["position"] = position


class Params(BaseModel):
    """A frozen group of parameters; an unknown key is an error."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra=keep_field_order,
        protected_namespaces=(),
    )
