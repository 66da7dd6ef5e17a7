"""From a request's body to images: raw, multipart or JSON with base64."""

import asyncio
import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field as FormField
from python_multipart.multipart import File, FormParser, parse_options_header

from ocr.errors import BadInput
from ocr.image import BadImage, Image, decode_image
from serving.problems import Code, Problem

ACCEPTED: Final = "image/*, application/octet-stream, multipart/form-data or application/json"


@dataclass(frozen=True)
class Limits:
    """What one request may bring."""

    body_bytes: int
    body_timeout_s: float
    images: int
    image_pixels: int
    request_pixels: int


class JsonBody(BaseModel):
    """One image, or several, each base64 (a data: URI is fine too)."""

    model_config = ConfigDict(extra="forbid", strict=True)

    image: str = Field("", description="One encoded image in base64")
    images: list[str] = Field([], description="Several encoded images in base64")


async def read_body(request: Request, limits: Limits) -> bytes:
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
        raise Problem("empty_body", f"The body is empty; send {ACCEPTED}")
    return body


def read_images(body: bytes, *, content_type: str, limits: Limits) -> list[Image]:
    """Decode every image of a body; one bad image refuses the request.

    Raises:
        Problem: The body cannot be parsed, or an image cannot be used; `index` says which.
    """
    encoded = _parse(body, content_type=content_type, limits=limits)
    if len(encoded) > limits.images:
        raise _too_many(limits)
    images: list[Image] = []
    pixels_left = limits.request_pixels
    for index, data in enumerate(encoded):
        image = _decode(data, index=index, limits=limits, pixels_left=pixels_left)
        pixels_left -= image.shape[0] * image.shape[1]
        images.append(image)
    return images


async def _receive(request: Request, limits: Limits) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limits.body_bytes:
            raise _too_large(limits)
        chunks.append(chunk)
    return b"".join(chunks)


def _parse(body: bytes, *, content_type: str, limits: Limits) -> Sequence[bytes]:
    kind, options = parse_options_header(content_type)
    name = kind.decode("latin-1").lower()
    if name.startswith("image/") or name == "application/octet-stream":
        return [body]
    parse = _PARSERS.get(name)
    if parse is None:
        said = f"Content-Type {content_type[:100]!r}" if content_type else "No Content-Type"
        message = f"{said}: expected {ACCEPTED}; with curl: -H 'Content-Type: image/jpeg'"
        raise Problem("unsupported_type", message)
    return parse(body, options, limits)


def _parse_json(body: bytes, options: Mapping[bytes, bytes], limits: Limits) -> Sequence[bytes]:
    del options
    try:
        fields = JsonBody.model_validate_json(body)
    except ValidationError as error:
        raise _json_problem(error) from None
    if bool(fields.image) == bool(fields.images):
        message = 'Expected {"images": ["<base64>", …]} or {"image": "<base64>"}, one image or more'
        raise Problem("wrong_fields", message)
    texts = fields.images or [fields.image]
    if len(texts) > limits.images:
        raise _too_many(limits)
    return [_from_base64(text, index=index) for index, text in enumerate(texts)]


def _json_problem(error: ValidationError) -> Problem:
    first = error.errors(include_input=False, include_url=False)[0]
    if first["type"] == "json_invalid":
        return Problem("bad_json", first["msg"])
    where = ".".join(map(str, first["loc"]))[:100] or "the body"
    return Problem("wrong_fields", f"{where}: {first['msg']}")


def _from_base64(text: str, *, index: int) -> bytes:
    if text.startswith("data:"):
        text = text.partition(",")[2]
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise Problem("bad_base64", f"Image {index} is no base64: {error}", index=index) from None


def _parse_multipart(
    body: bytes, options: Mapping[bytes, bytes], limits: Limits
) -> Sequence[bytes]:
    files: list[bytes] = []
    ends: list[bool] = []

    def keep(file: File) -> None:
        if len(files) == limits.images:  # before the rest is parsed
            raise _too_many(limits)
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
        raise Problem("wrong_fields", "The multipart body holds no file: curl -F image=@crop.jpg")
    return files


_PARSERS: Final[Mapping[str, Callable[[bytes, Mapping[bytes, bytes], Limits], Sequence[bytes]]]] = {
    "application/json": _parse_json,
    "multipart/form-data": _parse_multipart,
}


def _refuse_field(field: FormField) -> None:
    name = (field.field_name or b"")[:100].decode("utf-8", "replace")
    message = f"Part {name!r} is no file: expected files only, as in curl -F image=@crop.jpg"
    raise Problem("wrong_fields", message)


def _decode(data: bytes, *, index: int, limits: Limits, pixels_left: int) -> Image:
    if not data:
        raise Problem("bad_image", f"Image {index} is empty", index=index)
    try:
        return decode_image(data, max_pixels=max(1, min(limits.image_pixels, pixels_left)))
    except BadImage as error:
        code: Code = "image_too_large" if error.reason == "decompression_bomb" else "bad_image"
        raise Problem(code, f"Image {index}: {error}", index=index) from None
    except BadInput as error:
        raise Problem("bad_image", f"Image {index}: {error}", index=index) from None


def _too_large(limits: Limits) -> Problem:
    return Problem("body_too_large", f"The body is larger than {limits.body_bytes} bytes")


def _too_many(limits: Limits) -> Problem:
    return Problem("too_many_images", f"More than {limits.images} images in one request")
