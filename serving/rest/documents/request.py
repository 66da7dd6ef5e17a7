"""From a request to one document and what is wanted of it: raw, multipart or JSON with base64."""

import re
from collections.abc import Mapping
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ocr.image.document import PageRanges
from serving.problems import Problem
from serving.rest.body import (
    FILE_TYPES,
    Limits,
    from_base64,
    parse_json,
    parse_query,
    split_body,
)

RANGES: Final = r"^(\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*)?$"
Format = Literal["json", "ndjson", "hocr", "pdf"]

DOCUMENT_TYPES: Final = (*FILE_TYPES, "application/pdf")


class DocumentOptions(BaseModel):
    """What is wanted of a document."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field("", description="Name of the pipeline; needed when several are served")
    version: str = Field("", description="Refuse any other version than this one")
    pages: str = Field(
        "",
        max_length=200,
        description="Read these pages only, as in 1-3,7; those that there are not are left out",
        json_schema_extra={"pattern": RANGES},
    )
    partial: bool = Field(
        False, description="Answer the error of a page that cannot be read, and the others"
    )
    format: Format = Field("json", description="What to answer with")
    annotate: bool = Field(False, description="Return each page with its lines drawn on it")
    render: bool = Field(False, description="Return each page as it was read")
    words: bool = Field(False, description="Tell where the words of each line stand")

    @field_validator("pages")
    @classmethod
    def _ascend(cls, value: str) -> str:
        if not re.fullmatch(RANGES, value, flags=re.ASCII):
            raise ValueError(f"{value[:50]!r} are no pages; expected as in 1-3,7")
        before = 0
        for first, last in parse_ranges(value):
            if not before < first <= last:
                raise ValueError("expected page numbers from 1 in ascending order, as in 1-3,7")
            before = last
        return value

    @property
    def wanted(self) -> Mapping[str, float]:
        """What is wanted of each page, and what its format needs besides."""
        return {
            "annotate": self.annotate,
            "render": self.render or self.format == "pdf",
            "words": self.words or self.format in ("hocr", "pdf"),
        }


def parse_ranges(pages: str) -> PageRanges:
    """Return first and last page of each range of `1-3,7`; none of an empty text."""
    ranges = [each.split("-") for each in pages.split(",") if each]
    return [(int(each[0]), int(each[-1])) for each in ranges]


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
    document, options = _parse_json(body, options) if files is None else (files[0], options)
    for name in ("partial", "annotate", "render"):
        if getattr(options, name) and options.format in ("hocr", "pdf"):
            message = f"{name} goes with the formats json and ndjson, not with {options.format}"
            raise Problem("wrong_fields", message)
    return document, options


def _parse_json(body: bytes, options: DocumentOptions) -> tuple[bytes, DocumentOptions]:
    """Options of the body win over those of the query."""
    fields = parse_json(body, DocumentJson)
    given = fields.model_dump(include=fields.model_fields_set - {"document"})
    return from_base64(fields.document, what="The document"), options.model_copy(update=given)
