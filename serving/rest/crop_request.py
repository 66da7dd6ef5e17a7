"""From a request to crops: raw, multipart or JSON with base64."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from ocr.image.pixels import BadImage, Image, decode_image
from serving.problems import Problem
from serving.rest.body import (
    FILE_TYPES,
    Limits,
    bad_image,
    from_base64,
    parse_json,
    split_body,
    too_many_images,
)
from serving.rest.budget import Account


class CropOptions(BaseModel):
    """What is wanted of crops."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field("", description="Name of the model; needed when several are served")


class CropJson(BaseModel):
    """One image, or several, each base64 (a data: URI is fine too)."""

    model_config = ConfigDict(extra="forbid", strict=True)

    image: str = Field("", description="One encoded image in base64")
    images: list[str] = Field([], description="Several encoded images in base64")


def read_crops(body: bytes, *, content_type: str, limits: Limits, account: Account) -> list[Image]:
    """Decode every image of a body; one bad image refuses the request.

    Raises:
        Problem: The body cannot be parsed, an image cannot be used (`index` says which), or all
            requests together hold too many pixels.
    """
    encoded = split_body(
        body,
        content_type=content_type,
        file_types=FILE_TYPES,
        limits=limits,
        most_files=limits.images,
    )
    images: list[Image] = []
    for index, data in enumerate(_parse_json(body, limits) if encoded is None else encoded):
        pixels_left = limits.request_pixels - account.taken
        image = decode_crop(data, index=index, limits=limits, pixels_left=pixels_left)
        account.take(image.shape[0] * image.shape[1])
        images.append(image)
    return images


def _parse_json(body: bytes, limits: Limits) -> Sequence[bytes]:
    fields = parse_json(body, CropJson)
    if bool(fields.image) == bool(fields.images):
        message = 'Expected {"images": ["<base64>", …]} or {"image": "<base64>"}, one image or more'
        raise Problem("wrong_fields", message)
    texts = fields.images or [fields.image]
    if len(texts) > limits.images:
        raise too_many_images(limits.images)
    return [
        from_base64(text, what=f"Image {index}", index=index) for index, text in enumerate(texts)
    ]


def decode_crop(data: bytes, *, index: int, limits: Limits, pixels_left: int) -> Image:
    """Decode one image of a request.

    Raises:
        Problem: It is none, or larger than allowed.
    """
    if not data:
        raise Problem("bad_image", f"Image {index} is empty", index=index)
    try:
        return decode_image(data, max_pixels=max(1, min(limits.image_pixels, pixels_left)))
    except BadImage as error:
        raise bad_image(error, what=f"Image {index}", index=index) from None
