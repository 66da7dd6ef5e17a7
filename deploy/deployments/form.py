"""The form of a deployment: of the engines that its project says, with nothing of it left empty.

Prefect's UI leaves out what a person empties, and the flow would take the code's default there:
neither what the project says nor what was meant. Of several engines in one form Prefect's server
names what is wrong by the fields of any.
"""

import copy
from collections.abc import Mapping
from typing import Any


def require_said(schema: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the OpenAPI schema of a flow's parameters with what is said required.

    Args:
        schema: Of the flow.
        said: The first values of the form; what equals the code's default may stay empty.
    """
    form = copy.deepcopy(dict(schema))
    _require(form, said, form.get("definitions", {}))
    return form


def _require(part: dict[str, Any], said: Mapping[str, Any], definitions: Mapping[str, Any]) -> None:
    for key, value in said.items():
        field = part["properties"].get(key, {})
        required = part.setdefault("required", [])
        if value and value != field.get("default") and key not in required:
            required.append(key)
        if isinstance(value, Mapping) and (name := _find(field, value, definitions)):
            if field.pop("anyOf", ()):
                field["$ref"] = name
            _require(definitions[_key(name)], value, definitions)


def _find(
    field: Mapping[str, Any], value: Mapping[str, Any], definitions: Mapping[str, Any]
) -> str | None:
    """Name the definition of a value, of several the one that has all its keys."""
    named = [str(each["$ref"]) for each in (field, *field.get("anyOf", ())) if "$ref" in each]
    fits = (name for name in named if value.keys() <= definitions[_key(name)]["properties"].keys())
    return next(fits, None)


def _key(name: str) -> str:
    return name.rpartition("/")[2]
