"""From a request to crops: raw, multipart or JSON with base64."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, FailFast, Field

from serving.problems import Problem
from serving.rest.body import (
    FILE_TYPES,
    Limits,
    from_base64,
    parse_json,
    split_body,
    too_many_images,
)


class CropOptions(BaseModel):
    """What is wanted of crops."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field("", description="Name of the model; needed when several are served")
    partial: bool = Field(
        False, description="Answer the error of an image that cannot be read, and the others"
    )


class CropJson(BaseModel):
    """One image, or several, each base64 (a data: URI is fine too)."""

    model_config = ConfigDict(extra="forbid", strict=True)

    image: str = Field("", description="One encoded image in base64")
    images: Annotated[list[str], FailFast()] = Field(
        [], description="Several encoded images in base64"
    )


def parse_crops(
    body: bytes, *, content_type: str, limits: Limits, partial: bool
) -> Sequence[bytes | Problem]:
    """Take the encoded images out of a body; with `partial`, what is wrong with one stands for it.

    Raises:
        Problem: The body cannot be parsed (`index` says at which image).
    """
    encoded = split_body(
        body,
        content_type=content_type,
        file_types=FILE_TYPES,
        limits=limits,
        most_files=limits.images,
    )
    return _parse_json(body, limits, partial=partial) if encoded is None else encoded


def _parse_json(body: bytes, limits: Limits, *, partial: bool) -> list[bytes | Problem]:
    fields = parse_json(body, CropJson)
    if bool(fields.image) == bool(fields.images):
        message = 'Expected {"images": ["<base64>", …]} or {"image": "<base64>"}, one image or more'
        raise Problem("wrong_fields", message)
    texts = fields.images or [fields.image]
    if len(texts) > limits.images:
        raise too_many_images(limits.images)
    decode = _try_base64 if partial else _from_base64
    return [decode(text, index) for index, text in enumerate(texts)]


def _from_base64(text: str, index: int) -> bytes:
    return from_base64(text, what=f"Image {index}", index=index)


def _try_base64(text: str, index: int) -> bytes | Problem:
    try:
        return _from_base64(text, index)
    except Problem as problem:
        return problem
