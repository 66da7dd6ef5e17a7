"""From a request's body to crops: raw, multipart or JSON with base64."""

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict, Field
from python_multipart.multipart import parse_options_header

from ocr.image.pixels import BadImage, Image, decode_image
from serving.problems import Problem
from serving.rest.body import (
    RAW_TYPES,
    Limits,
    bad_image,
    from_base64,
    is_raw,
    parse_json,
    parse_multipart,
    too_many_images,
    unsupported_type,
)

ACCEPTED: Final = f"{RAW_TYPES}, multipart/form-data or application/json"


class JsonBody(BaseModel):
    """One image, or several, each base64 (a data: URI is fine too)."""

    model_config = ConfigDict(extra="forbid", strict=True)

    image: str = Field("", description="One encoded image in base64")
    images: list[str] = Field([], description="Several encoded images in base64")


def read_images(body: bytes, *, content_type: str, limits: Limits) -> list[Image]:
    """Decode every image of a body; one bad image refuses the request.

    Raises:
        Problem: The body cannot be parsed, or an image cannot be used; `index` says which.
    """
    encoded = _parse(body, content_type=content_type, limits=limits)
    if len(encoded) > limits.images:
        raise too_many_images(limits.images)
    images: list[Image] = []
    pixels_left = limits.request_pixels
    for index, data in enumerate(encoded):
        image = _decode(data, index=index, limits=limits, pixels_left=pixels_left)
        pixels_left -= image.shape[0] * image.shape[1]
        images.append(image)
    return images


def _parse(body: bytes, *, content_type: str, limits: Limits) -> Sequence[bytes]:
    name, options = parse_options_header(content_type)
    kind = name.decode("latin-1").lower()
    if is_raw(kind):
        return [body]
    if kind == "application/json":
        return _parse_json(body, limits)
    if kind == "multipart/form-data":
        return parse_multipart(body, options, limits=limits, most_files=limits.images)
    raise unsupported_type(content_type, accepted=ACCEPTED)


def _parse_json(body: bytes, limits: Limits) -> Sequence[bytes]:
    fields = parse_json(body, JsonBody)
    if bool(fields.image) == bool(fields.images):
        message = 'Expected {"images": ["<base64>", …]} or {"image": "<base64>"}, one image or more'
        raise Problem("wrong_fields", message)
    texts = fields.images or [fields.image]
    if len(texts) > limits.images:
        raise too_many_images(limits.images)
    return [
        from_base64(text, what=f"Image {index}", index=index) for index, text in enumerate(texts)
    ]


def _decode(data: bytes, *, index: int, limits: Limits, pixels_left: int) -> Image:
    if not data:
        raise Problem("bad_image", f"Image {index} is empty", index=index)
    try:
        return decode_image(data, max_pixels=max(1, min(limits.image_pixels, pixels_left)))
    except BadImage as error:
        raise bad_image(error, what=f"Image {index}", index=index) from None
