"""A request's body taken apart: into files, fields and options."""

import base64
import binascii
import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final, Literal, TypeVar

from pydantic import BaseModel, ValidationError
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field as FormField
from python_multipart.multipart import File, FormParser, parse_options_header

from ocr.image.pixels import BadImage
from serving.problems import Problem

FILE_TYPES: Final = ("image/*", "application/octet-stream")
"""Media types of a body that is one file as it is."""

WHITE_SPACE: Final = b" \t\r\n\v\f"
MOST_VALUES: Final = 20_000
"""Of a JSON body: each costs 30 times what it takes to send it."""

BodyKind = Literal["file", "multipart", "json"]
OTHER_KINDS: Final[Mapping[str, BodyKind]] = {
    "multipart/form-data": "multipart",
    "application/json": "json",
}

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


def split_body(
    body: bytes,
    *,
    content_type: str,
    file_types: tuple[str, ...],
    limits: Limits,
    most_files: int,
) -> list[bytes] | None:
    """Take the files out of a body; None for JSON, which holds what its route says.

    Raises:
        Problem: It is of another type, damaged, holds no file, too many, or something else.
    """
    kind = body_kind(content_type, file_types)
    if kind == "json":
        return None
    if kind == "file":
        return [body]
    _, options = parse_options_header(content_type)
    return _parse_multipart(body, options, file_types, limits=limits, most_files=most_files)


@lru_cache(64)
def body_kind(content_type: str, file_types: tuple[str, ...]) -> BodyKind:
    """Return how a body of this media type is taken apart.

    Raises:
        Problem: It is another than those that are taken.
    """
    kind = parse_options_header(content_type)[0].decode("latin-1").lower()
    if kind in OTHER_KINDS:
        return OTHER_KINDS[kind]
    if _is_file(kind, file_types):
        return "file"
    said = f"Content-Type {content_type[:100]!r}" if content_type else "No Content-Type"
    message = f"{said}: expected {name_types(file_types)}; with curl: -H 'Content-Type: image/jpeg'"
    raise Problem("unsupported_type", message)


def _is_file(kind: str, file_types: Sequence[str]) -> bool:
    return any(fnmatchcase(kind, known) for known in file_types)


def name_types(file_types: Sequence[str]) -> str:
    """Say which media types are taken."""
    files = f"{', '.join(file_types)}, multipart/form-data or " if file_types else ""
    return f"{files}application/json"


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
        said = f"Query parameter {name!r}: {_plain(first['msg'])}"
        if first["type"] == "extra_forbidden":
            said = f"Unknown query parameter {name!r}"
        message = f"{said}; known: {known}"
        raise Problem("bad_query", message) from None


def parse_json(body: bytes, fields: type[Fields]) -> Fields:
    """Parse a JSON body.

    Raises:
        Problem: It is no JSON, has other fields, or more values than any request needs.
    """
    if sum(map(body.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise Problem("wrong_fields", f"The JSON body holds more than {MOST_VALUES} values")
    try:
        return fields.model_validate_json(body.removeprefix(codecs.BOM_UTF8))
    except ValidationError as error:
        raise _json_problem(error, known=", ".join(fields.model_fields)) from None


def from_base64(text: str, *, what: str, index: int | None = None) -> bytes:
    """Decode a base64 text, line breaks and a data: prefix allowed.

    Raises:
        Problem: It is no base64.
    """
    if text[:5].lower() == "data:":
        text = text.partition(",")[2]
    try:
        return base64.b64decode(text.encode().translate(None, WHITE_SPACE), validate=True)
    except (binascii.Error, ValueError) as error:
        message = (
            f"{what} is no base64: {error}; expected the content of a file, no address, "
            "in the letters A-Z, a-z, 0-9, + and /"
        )
        raise Problem("bad_base64", message, index=index) from None


def too_many_images(most: int) -> Problem:
    """Make the refusal of a request with too many images."""
    return Problem("too_many_images", f"More than {most} image{'s' * (most > 1)} in one request")


def bad_image(error: BadImage, *, what: str, index: int, instead: str = "scale it down") -> Problem:
    """Make the refusal of an image that cannot be used.

    Args:
        error: Why not.
        what: Names it for a person.
        index: Of it, from 0.
        instead: What to do with one that is too large.
    """
    if error.reason == "decompression_bomb":
        return Problem("image_too_large", f"{what}: {error}; {instead}", index=index)
    return Problem("bad_image", f"{what}: {error}", index=index)


def _parse_multipart(
    body: bytes,
    options: Mapping[bytes, bytes],
    file_types: Sequence[str],
    *,
    limits: Limits,
    most_files: int,
) -> list[bytes]:
    files: list[bytes] = []
    ends: list[bool] = []

    def keep(content: bytes) -> None:
        if len(files) == most_files:  # before the rest is parsed
            raise too_many_images(most_files)
        files.append(content)

    def keep_file(file: File) -> None:
        file.file_object.seek(0)
        keep(file.file_object.read())
        file.close()

    def keep_field(field: FormField) -> None:
        if not _is_file((field.content_type or "").lower(), file_types):
            raise _no_file(field)
        keep(field.value or b"")  # some clients name it by filename* alone, which is not looked at

    try:
        parser = FormParser(
            "multipart/form-data",
            on_field=keep_field,
            on_file=keep_file,
            on_end=lambda: ends.append(True),
            boundary=options.get(b"boundary"),
            config={"MAX_MEMORY_FILE_SIZE": limits.body_bytes},
        )
        parser.write(_without_preamble(body, options.get(b"boundary", b"")))
        parser.finalize()
    except FormParserError as error:
        raise Problem("bad_multipart", f"The multipart body is damaged: {error}") from None
    if not ends:
        raise Problem("bad_multipart", "The multipart body is cut: its last boundary is missing")
    if not files:
        raise Problem("wrong_fields", "The multipart body holds no file: curl -F file=@picture.jpg")
    return files


def _without_preamble(body: bytes, boundary: bytes) -> bytes:
    """Leave out what may stand before the first part (RFC 2046, 5.1.1)."""
    start = 0 if body.startswith(b"--") else body.find(b"\r\n--" + boundary)
    return body[start:] if start > 0 else body


def _json_problem(error: ValidationError, *, known: str) -> Problem:
    first = error.errors(include_input=False, include_url=False)[0]
    if first["type"] == "json_invalid":
        return Problem("bad_json", first["msg"])
    where = ".".join(map(str, first["loc"]))[:100] or "the body"
    if first["type"] == "extra_forbidden":
        return Problem("wrong_fields", f"{where}: unknown field; known: {known}")
    return Problem("wrong_fields", f"{where}: {_plain(first['msg'])}")


def _plain(message: str) -> str:
    return message.removeprefix("Value error, ")


def _no_file(field: FormField) -> Problem:
    name = (field.field_name or b"")[:100].decode("utf-8", "replace")
    message = (
        f"Part {name!r} has no filename, so it is no file: send files as in "
        "curl -F file=@picture.jpg, options in the query, as in ?model=NAME"
    )
    return Problem("wrong_fields", message)
