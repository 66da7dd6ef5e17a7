"""From a request to one document and what is wanted of it: raw, multipart or JSON with base64."""

from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from serving.rest.body import (
    FILE_TYPES,
    Limits,
    from_base64,
    parse_json,
    parse_query,
    split_body,
)

DOCUMENT_TYPES: Final = (*FILE_TYPES, "application/pdf")


class DocumentOptions(BaseModel):
    """What is wanted of a document."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field("", description="Name of the pipeline; needed when several are served")
    version: str = Field("", description="Refuse any other version than this one")
    pages: int = Field(0, ge=0, description="Read this many pages, from the first; 0 for all")
    annotate: bool = Field(False, description="Return each page with its lines drawn on it")
    render: bool = Field(False, description="Return each page as it was read")


class DocumentJson(DocumentOptions):
    """One document in base64 (a data: URI is fine too), and what is wanted of it."""

    model_config = ConfigDict(
        strict=True,
        json_schema_extra={
            "examples": [{"document": "iVBORw0KGgo…", "model": "receipts", "annotate": True}]
        },
    )

    document: str = Field(description="An image or a PDF in base64")


def parse_document(
    body: bytes, *, content_type: str, query: Mapping[str, str], limits: Limits
) -> tuple[bytes, DocumentOptions]:
    """Take the document and the options out of a request.

    Raises:
        Problem: They cannot be parsed.
    """
    options = parse_query(query, DocumentOptions)
    files = split_body(
        body, content_type=content_type, file_types=DOCUMENT_TYPES, limits=limits, most_files=1
    )
    return _parse_json(body, options) if files is None else (files[0], options)


def _parse_json(body: bytes, options: DocumentOptions) -> tuple[bytes, DocumentOptions]:
    """Options of the body win over those of the query."""
    fields = parse_json(body, DocumentJson)
    given = fields.model_dump(include=fields.model_fields_set - {"document"})
    return from_base64(fields.document, what="The document"), options.model_copy(update=given)
