"""The base of every parameter model: frozen, typed, no unknown keys."""

from typing import Any

from pydantic import BaseModel, ConfigDict

NAME_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,62}$"


def _keep_field_order(schema: dict[str, Any]) -> None:
    """Prefect's form sorts nested fields by name unless each carries a position."""
    for position, field in enumerate(schema.get("properties", {}).values()):
        field["position"] = position


class Params(BaseModel):
    """A frozen group of parameters; an unknown key is an error."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra=_keep_field_order,
        protected_namespaces=(),
    )
