"""A request's body: received within its limits, and taken apart into files."""

import asyncio
import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field as FormField
from python_multipart.multipart import File, FormParser, parse_options_header

from ocr.image.pixels import BadImage
from serving.problems import Code, Problem

FILE_TYPES: Final = ("image/*", "application/octet-stream")
"""Media types of a body that is one file as it is."""

Fields = TypeVar("Fields", bound=BaseModel)


@dataclass(frozen=True)
class Limits:
    """What one request may bring."""

    body_bytes: int
    body_timeout_s: float
    images: int
    image_pixels: int
    request_pixels: int
    pages: int
    pages_timeout_s: float


async def read_body(request: Request, limits: Limits, *, file_types: Sequence[str]) -> bytes:
    """Receive the whole body.

    Raises:
        Problem: It is empty, too large or too slow.
    """
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limits.body_bytes:
        raise _too_large(limits)
    try:
        async with asyncio.timeout(limits.body_timeout_s):
            body = await _receive(request, limits)
    except TimeoutError:
        message = f"The body was not complete after {limits.body_timeout_s:g} s"
        raise Problem("body_timeout", message) from None
    if not body:
        raise Problem("empty_body", f"The body is empty; send {_name_types(file_types)}")
    return body


def split_body(
    body: bytes,
    *,
    content_type: str,
    file_types: Sequence[str],
    limits: Limits,
    most_files: int,
) -> list[bytes] | None:
    """Take the files out of a body; None for JSON, which holds what its route says.

    Raises:
        Problem: It is of another type, damaged, holds no file, too many, or something else.
    """
    name, options = parse_options_header(content_type)
    kind = name.decode("latin-1").lower()
    if any(fnmatchcase(kind, known) for known in file_types):
        return [body]
    if kind == "multipart/form-data":
        return _parse_multipart(body, options, limits=limits, most_files=most_files)
    if kind == "application/json":
        return None
    said = f"Content-Type {content_type[:100]!r}" if content_type else "No Content-Type"
    message = (
        f"{said}: expected {_name_types(file_types)}; with curl: -H 'Content-Type: image/jpeg'"
    )
    raise Problem("unsupported_type", message)


def parse_query(query: Mapping[str, str], fields: type[Fields]) -> Fields:
    """Parse a query.

    Raises:
        Problem: It has other parameters, or a value that is not allowed.
    """
    try:
        return fields.model_validate_strings(dict(query))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = str(first["loc"][0])[:100]
        known = ", ".join(fields.model_fields)
        said = f"Query parameter {name!r}: {first['msg']}"
        if first["type"] == "extra_forbidden":
            said = f"Unknown query parameter {name!r}"
        message = f"{said}; known: {known}"
        raise Problem("bad_query", message) from None


def parse_json(body: bytes, fields: type[Fields]) -> Fields:
    """Parse a JSON body.

    Raises:
        Problem: It is no JSON, or has other fields.
    """
    try:
        return fields.model_validate_json(body)
    except ValidationError as error:
        raise _json_problem(error) from None


def from_base64(text: str, *, what: str, index: int | None = None) -> bytes:
    """Decode a base64 text, line breaks and a data: prefix allowed.

    Raises:
        Problem: It is no base64.
    """
    if text.startswith("data:"):
        text = text.partition(",")[2]
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise Problem("bad_base64", f"{what} is no base64: {error}", index=index) from None


def too_many_images(most: int) -> Problem:
    """Make the refusal of a request with too many images."""
    return Problem("too_many_images", f"More than {most} image{'s' * (most > 1)} in one request")


def bad_image(error: BadImage, *, what: str, index: int) -> Problem:
    """Make the refusal of an image that cannot be used; `what` names it for a person."""
    code: Code = "image_too_large" if error.reason == "decompression_bomb" else "bad_image"
    return Problem(code, f"{what}: {error}", index=index)


async def _receive(request: Request, limits: Limits) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limits.body_bytes:
            raise _too_large(limits)
        chunks.append(chunk)
    return b"".join(chunks)


def _parse_multipart(
    body: bytes, options: Mapping[bytes, bytes], *, limits: Limits, most_files: int
) -> list[bytes]:
    files: list[bytes] = []
    ends: list[bool] = []

    def keep(file: File) -> None:
        if len(files) == most_files:  # before the rest is parsed
            raise too_many_images(most_files)
        file.file_object.seek(0)
        files.append(file.file_object.read())
        file.close()

    try:
        parser = FormParser(
            "multipart/form-data",
            on_field=_refuse_field,
            on_file=keep,
            on_end=lambda: ends.append(True),
            boundary=options.get(b"boundary"),
            config={"MAX_MEMORY_FILE_SIZE": limits.body_bytes},
        )
        parser.write(body)
        parser.finalize()
    except FormParserError as error:
        raise Problem("bad_multipart", f"The multipart body is damaged: {error}") from None
    if not ends:
        raise Problem("bad_multipart", "The multipart body is cut: its last boundary is missing")
    if not files:
        raise Problem(
            "wrong_fields", "The multipart body holds no file: curl -F image=@picture.jpg"
        )
    return files


def _json_problem(error: ValidationError) -> Problem:
    first = error.errors(include_input=False, include_url=False)[0]
    if first["type"] == "json_invalid":
        return Problem("bad_json", first["msg"])
    where = ".".join(map(str, first["loc"]))[:100] or "the body"
    return Problem("wrong_fields", f"{where}: {first['msg']}")


def _refuse_field(field: FormField) -> None:
    name = (field.field_name or b"")[:100].decode("utf-8", "replace")
    message = f"Part {name!r} is no file: expected files only, as in curl -F image=@picture.jpg"
    raise Problem("wrong_fields", message)


def _name_types(file_types: Sequence[str]) -> str:
    return f"{', '.join(file_types)}, multipart/form-data or application/json"


def _too_large(limits: Limits) -> Problem:
    return Problem("body_too_large", f"The body is larger than {limits.body_bytes} bytes")
