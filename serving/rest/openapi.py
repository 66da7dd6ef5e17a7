"""What the routes that read something say of themselves in the OpenAPI description."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, Field

from serving.problems import STATUS

SHOWN: Final = ("type", "default", "enum", "maxLength", "pattern")
BINARY: Final = {"type": "string", "format": "binary"}
PROBLEMS: Final[Mapping[int | str, dict[str, Any]]] = {
    status: {"description": ", ".join(code for code, number in STATUS.items() if number == status)}
    for status in sorted(set(STATUS.values()))
}


class ItemError(BaseModel):
    """Why an image or a page was not read."""

    code: str = Field(description="As an error of the whole request has it")
    message: str = Field(description="What is wrong, for a person")


def describe_request(
    *,
    types: Sequence[str],
    parts: Mapping[str, Any],
    fields: type[BaseModel],
    query: type[BaseModel],
) -> dict[str, Any]:
    """Describe a request that brings files in one of three ways.

    Args:
        types: Media types of a body that is one file as it is.
        parts: Schemas of the parts of a multipart body, by name.
        fields: What a JSON body holds.
        query: What the query holds.
    """
    content: dict[str, Any] = {kind: {"schema": BINARY} for kind in types}
    content["multipart/form-data"] = {"schema": {"type": "object", "properties": parts}}
    content["application/json"] = {"schema": fields.model_json_schema()}
    parameters = [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": field["description"],
            "schema": {key: field[key] for key in SHOWN if key in field},
        }
        for name, field in query.model_json_schema()["properties"].items()
    ]
    return {"requestBody": {"required": True, "content": content}, "parameters": parameters}
