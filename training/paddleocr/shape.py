"""The parts that a config of PaddleOCR's tree must have to be one; the tree may be any."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from configs.paddleocr import PaddleOcrParams
from ocr.errors import BadInput

COMPILED = ("DB", "SVTR_HGNet", "SVTR_LCNet")
"""Nets that PaddleOCR compiles, by its names of them."""
PARTS = {"none": (), "backbone": ("backbone",), "backbone and neck": ("backbone", "neck")}
"""What a net's parts are called there, by `frozen`."""

Group = dict[str, Any]
Size = Annotated[list[int], Field(min_length=3)]


class Arguments(BaseModel):
    """What a step before the net is told."""

    image_shape: list[int] = []


Step = Annotated[dict[str, Arguments | None], Field(min_length=1, max_length=1)]


class Globals(BaseModel):
    """What holds of all of it."""

    d2s_train_image_shape: Size = [3, 0, 0]


class Dataset(BaseModel):
    """Where images come from, and what is done with each before the net."""

    name: str
    transforms: list[Step]


class Sampler(BaseModel):
    """The sizes at which a recogniser learns."""

    scales: list[tuple[int, int]]


class Part(BaseModel):
    """One of both splits."""

    dataset: Dataset
    loader: Group
    sampler: Sampler = Sampler(scales=[])


class Optimizer(BaseModel):
    """How weights are changed."""

    lr: Group


class Shape(BaseModel):
    """A whole config."""

    Global: Globals
    Optimizer: Optimizer
    Architecture: Group
    PostProcess: Group
    Metric: Group
    Train: Part
    Eval: Part


def check_shape(config: Any, name: str) -> None:
    """Refuse what is no config of a training, whatever net it is of.

    Raises:
        BadInput: Naming the first key that is missing or holds something else.
    """
    try:
        Shape.model_validate(config)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"])) or "it"
        said = f"{first['msg'][0].lower()}{first['msg'][1:]}"
        raise BadInput(f"training.net: {name} is no training's config: {key}: {said}") from None


def check_net(architecture: Mapping[str, Any], training: PaddleOcrParams) -> None:
    """Raise BadInput unless a net can be compiled, and has the parts to be kept, as asked."""
    algorithm = architecture["algorithm"]
    if training.to_static and algorithm not in COMPILED:
        raise BadInput(
            f"training.to_static: true is not allowed with {training.net}, which is {algorithm}; "
            f"PaddleOCR compiles {', '.join(COMPILED)} alone; switch it off"
        )
    for part in PARTS[training.frozen]:
        if not architecture.get(part.capitalize()):
            raise BadInput(
                f"training.frozen: {training.frozen} is not allowed with {training.net}, which has "
                f"no {part} of its own"
            )
