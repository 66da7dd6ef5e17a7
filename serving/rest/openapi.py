"""What routes say of themselves in the OpenAPI description, and what holds of all of them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema

from serving.problems import STATUS, Code
from serving.rest.edge import OPEN_ROUTES, SECONDS, TIMEOUT

Responses = dict[int | str, dict[str, Any]]

READING: Final = "Reading"
SERVER: Final = "Server"
"""Tags of our own routes; those of a dialect have its name."""
SHOWN: Final = ("type", "default", "enum", "maxLength", "pattern")
BINARY: Final = {"type": "string", "format": "binary"}
KEY: Final = (
    "A key of `ocrline keys add`, or OCRLINE_TOKEN. Without any of them a gateway that listens "
    "on loopback alone answers everybody."
)
ASKED: Final[Sequence[Mapping[str, Any]]] = (
    {
        "name": "x-request-id",
        "in": "header",
        "description": "By which answer and logs name this request: up to 128 letters, digits, "
        ". _ -; without such a one, a fresh one",
        "schema": {"type": "string"},
    },
    {
        "name": TIMEOUT,
        "in": "header",
        "description": "Seconds after which the client has no use for an answer, as 0.5",
        "schema": {"type": "string", "pattern": f"^{SECONDS.pattern}$"},
    },
)
ANSWERED: Final = {
    "x-request-id": {
        "description": "The request's, or a fresh one",
        "required": True,
        "schema": {"type": "string"},
    }
}
RETRY: Final = {
    "retry-after": {
        "description": "Seconds after which to ask again",
        "required": True,
        "schema": {"type": "integer"},
    }
}
WHO_ASKS: Final = {
    "www-authenticate": {
        "description": "How to say who asks",
        "required": True,
        "schema": {"type": "string", "const": "Bearer"},
    }
}
ONE_PART: Final = {"pattern": "^[^/]+$"}
"""Of a path: a slash is none, however it is written."""
SAID_WITH: Final = {"401": WHO_ASKS, "429": RETRY, "503": RETRY}
"""Headers of an answer, besides, by its status."""
NO_KEY: Final[Mapping[str, Sequence[str]]] = {}
OF_CONNECTIONS: Final = (400, 404, 408, 414, 431, 503)
SCHEMES: Final = "securitySchemes"


class ItemError(BaseModel):
    """Why an image or a page was not read."""

    code: Code = Field(description="For programs")
    message: str = Field(description="What is wrong, for a person")


class RequestError(ItemError):
    """Why a request was not answered."""

    request_id: str = Field(description="The request's x-request-id, or a fresh one")
    index: int | SkipJsonSchema[None] = Field(
        None, description="Of the image or page that it is about, from 0, where it is about one"
    )


class ErrorAnswer(BaseModel):
    """What is answered instead."""

    error: RequestError


def problems(answer: type[BaseModel]) -> Responses:
    """Describe every refusal of a route that writes them as `answer`.

    What is refused of a connection, or before there is a route, is an `ErrorAnswer` at any route.
    """
    return {
        status: {
            "model": answer | ErrorAnswer if status in OF_CONNECTIONS else answer,
            "description": ", ".join(code for code, number in STATUS.items() if number == status),
        }
        for status in sorted(set(STATUS.values()))
    }


def refused(answer: type[BaseModel]) -> Responses:
    """Describe the refusals of a route that reads nothing, and has few of its own."""
    return {"default": {"model": answer | ErrorAnswer, "description": "Refused"}}


class DescribedApp(FastAPI):
    """An application whose description has what the edge does around every route, too."""

    def openapi(self) -> dict[str, Any]:
        """Return the description, which FastAPI keeps until there is another route."""
        api = super().openapi()
        if SCHEMES not in api["components"]:
            _describe_edge(api)
        return api


def name_operation(route: APIRoute) -> str:
    """Return what generated clients call a route's function: of a dialect, begun by its name."""
    dialect = [str(tag) for tag in route.tags if tag not in (READING, SERVER)]
    return "_".join([*dialect, route.name]).replace(" ", "_").lower()


def _describe_edge(api: dict[str, Any]) -> None:
    """Add who may ask, what names a request, and how long its client waits."""
    api["components"][SCHEMES] = {"key": {"type": "http", "scheme": "bearer", "description": KEY}}
    for path, operations in api["paths"].items():
        for operation in operations.values():
            operation["security"] = [*([NO_KEY] if path in OPEN_ROUTES else []), {"key": []}]
            operation.setdefault("parameters", []).extend(ASKED)
            for status, response in operation["responses"].items():
                response.setdefault("headers", {}).update(ANSWERED | SAID_WITH.get(status, {}))


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
    form = {"type": "object", "properties": parts, "required": list(parts)}
    content["multipart/form-data"] = {"schema": form}
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
