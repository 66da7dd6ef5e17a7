"""The parts that a config of PaddleOCR's tree must have to be one; the tree may be any."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from ocr.errors import BadInput

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
