"""From a request to one document and what is wanted of it: raw, multipart or JSON with base64."""

from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from python_multipart.multipart import parse_options_header

from serving.problems import Problem
from serving.rest.body import (
    RAW_TYPES,
    Limits,
    from_base64,
    is_raw,
    parse_json,
    parse_multipart,
    unsupported_type,
)

ACCEPTED: Final = f"{RAW_TYPES}, application/pdf, multipart/form-data or application/json"


class PageOptions(BaseModel):
    """What is wanted of a document."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field("", description="Name of the pipeline; needed when several are served")
    version: str = Field("", description="Refuse any other version than this one")
    pages: int = Field(0, ge=0, description="Read this many pages, from the first; 0 for all")
    annotate: bool = Field(False, description="Return each page with its lines drawn on it")
    render: bool = Field(False, description="Return each page as it was read")


class PageJson(PageOptions):
    """One document in base64 (a data: URI is fine too), and what is wanted of it."""

    model_config = ConfigDict(strict=True)

    document: str = Field(description="An image or a PDF in base64")


def parse_document(
    body: bytes, *, content_type: str, query: Mapping[str, str], limits: Limits
) -> tuple[bytes, PageOptions]:
    """Take the document and the options out of a request.

    Raises:
        Problem: They cannot be parsed.
    """
    options = _parse_query(query)
    name, parameters = parse_options_header(content_type)
    kind = name.decode("latin-1").lower()
    if is_raw(kind) or kind == "application/pdf":
        return body, options
    if kind == "multipart/form-data":
        return parse_multipart(body, parameters, limits=limits, most_files=1)[0], options
    if kind == "application/json":
        return _parse_json(body, options)
    raise unsupported_type(content_type, accepted=ACCEPTED)


def _parse_query(query: Mapping[str, str]) -> PageOptions:
    try:
        return PageOptions.model_validate_strings(dict(query))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = str(first["loc"][0])[:100]
        known = ", ".join(PageOptions.model_fields)
        message = f"Query parameter {name!r}: {first['msg']}; known: {known}"
        raise Problem("bad_query", message) from None


def _parse_json(body: bytes, options: PageOptions) -> tuple[bytes, PageOptions]:
    """Options of the body win over those of the query."""
    fields = parse_json(body, PageJson)
    given = fields.model_dump(include=fields.model_fields_set - {"document"})
    return from_base64(fields.document, what="The document"), options.model_copy(update=given)
