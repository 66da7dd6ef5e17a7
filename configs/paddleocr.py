"""How PaddleOCR's own trainer trains a net, and which engine a training is for."""

import math
import re
from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, model_validator

from configs.base import FileName, Params
from configs.training import (
    DetectorTrainingParams,
    Int8,
    RecogniserTrainingParams,
    ResourceParams,
)

MOST_NESTED = 32
MOST_VALUES = 10_000
CHAMPION = "champion"
REGISTERED = "model:"
"""Begins what a run makes of it: `model:NAME:VERSION`."""


def _check_values(values: dict[str, Any]) -> dict[str, Any]:
    """Refuse what job.json cannot hold as it is: something else would be learnt than was said."""
    for number, (path, value) in enumerate(_each_value(values, ())):
        name = ".".join(path)
        if len(path) > MOST_NESTED:
            raise ValueError(f"{path[0]}: nested deeper than {MOST_NESTED} keys and lists")
        if number > MOST_VALUES:
            raise ValueError(f"{name}: more than {MOST_VALUES} keys and values")
        if not isinstance(value, dict | list | str | int | float | None):
            raise ValueError(f"{name}: {value!a} is not allowed; expected text or a number")
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name}: {value} is not allowed; expected a finite number")
        if isinstance(value, str) and re.search("[\ud800-\udfff]", value):
            raise ValueError(f"{name}: {value!a} is no text: it has half of a character")
    return values


def _each_value(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield all that is nested in a value, which may hold itself: YAML's anchors can."""
    if isinstance(value, dict | list):
        children = value.items() if isinstance(value, dict) else enumerate(value)
        for key, child in children:
            here = (*path, str(key))
            yield here, child
            yield from _each_value(child, here)


class PaddleOcrParams(Params):
    """What every training by PaddleOCR's `tools/train.py` is told, whatever the net does."""

    engine: Literal["paddleocr"] = Field("paddleocr", description="PaddleOCR's own trainer")
    net: FileName = Field(
        min_length=1, description="A net's file in PaddleOCR's tree, or its family"
    )
    epochs: int = Field(20, ge=0, description="Passes over train; 0: takes pretrained as it is")
    batch_size: int = Field(16, ge=1, le=4096, description="Images per step, of all devices")
    learning_rate: float = Field(5e-4, gt=0, le=1, description="Peak learning rate")
    pretrained: str = Field(
        "",
        description="Weights to start from, a path or URL of a .pdparams; champion: those of the "
        "model's champion, or nothing before the first; empty: from nothing",
    )
    pretrained_sha256: str = Field(
        "", pattern=r"^([0-9a-f]{64})?$", description="SHA-256 of the weights to start from"
    )
    teacher: str = Field(
        "",
        description="Weights of a distillation's net that teaches and does not learn, a path or "
        "URL of a .pdparams",
    )
    teacher_sha256: str = Field(
        "", pattern=r"^([0-9a-f]{64})?$", description="SHA-256 of the teacher's weights"
    )
    amp: Literal["off", "O1", "O2"] = Field(
        "off",
        description="Mixed precision, GPU only: float16 of recognisers, bfloat16 of detectors; O2: "
        "of its weights as well",
    )
    to_static: bool = Field(
        False, description="Compile the net before it learns: other speed; last digits may differ"
    )
    overrides: Annotated[dict[str, Any], AfterValidator(_check_values)] = Field(
        default={},
        description="Keys of PaddleOCR's own configuration, nested as there; none may be new",
    )
    clip_norm: float = Field(
        0,
        ge=0,
        allow_inf_nan=False,
        description="Largest global norm of the gradients; 0: as the net's file says",
    )
    frozen: Literal["none", "backbone", "backbone and neck"] = Field(
        "none", description="Parts that stay as they came with `pretrained`"
    )
    evaluations: int = Field(
        10,
        ge=1,
        le=1000,
        description="Most validations over the whole run, after epochs; the last one always is",
    )
    patience: int = Field(
        0,
        ge=0,
        description="Validations without a better score before it ends early; 0: never",
    )
    no_progress_timeout_s: float = Field(
        600,
        gt=0,
        allow_inf_nan=False,
        description="Seconds without a sign of progress before the job gives up",
    )
    seed: int = Field(
        0, ge=0, le=2**32 - 1, description="Seed of weights, batches and augmentation"
    )
    int8: Int8 = False

    @model_validator(mode="after")
    def _check_weights(self) -> "PaddleOcrParams":
        if self.frozen != "none" and not self.pretrained:
            raise ValueError(f"frozen: {self.frozen} needs pretrained: it would stay noise")
        if not self.epochs and self.pretrained in ("", CHAMPION):
            raise ValueError("epochs: 0 needs pretrained: a file of weights, taken as they are")
        if self.pretrained != CHAMPION:
            _check_source("pretrained", self.pretrained, self.pretrained_sha256)
        elif self.pretrained_sha256:
            raise ValueError("pretrained: champion takes no pretrained_sha256; a run finds it")
        _check_source("teacher", self.teacher, self.teacher_sha256)
        return self

    @property
    def sources(self) -> tuple[str, ...]:
        """Where weights come from: those that it starts from, and its teacher's."""
        return tuple(source for source in (self.pretrained, self.teacher) if source)


class PaddleOcrRecogniserParams(PaddleOcrParams):
    """A recogniser of PaddleOCR's `configs/`, trained by its `tools/train.py`."""

    net: FileName = Field(
        "configs/rec/rec_mv3_none_none_ctc.yml",
        min_length=1,
        description="A CTC recogniser's file in PaddleOCR's tree: configs/rec/NAME.yml; or "
        "pp-ocrv3-mobile, pp-ocrv4-mobile, pp-ocrv4-server, pp-ocrv5-mobile, pp-ocrv5-server. One "
        "that cannot be exported is refused before it is trained",
    )
    batch_size: int = Field(16, ge=1, le=4096, description="Lines per step, of all devices")
    width_px: int = Field(
        320,
        ge=32,
        le=3200,
        multiple_of=16,
        description="Width to which lines are padded; wider ones are squeezed while it trains",
    )
    max_text_length: int = Field(
        25, ge=1, le=1000, description="Longest text that the net is built for; PP-OCR: less two"
    )
    text_model: bool = Field(
        True,
        description="Read with a model of the training texts (character n-grams that know digits "
        "only as digits) where it helps on the validation split",
    )


def _check_source(field: str, source: str, sha256: str) -> None:
    """Refuse what is no address, and one with a secret: it will stand in job.json and in logs."""
    if bool(source) != bool(sha256):
        raise ValueError(f"{field} and {field}_sha256 go together: sha256sum FILE gives the second")
    expected = "expected a path, or an address of the kind file, http or https"
    try:
        address = urlsplit(source)
        address.port  # noqa: B018 - raises where it is no number
    except ValueError as error:
        raise ValueError(f"{field}: {error}; {expected}") from None
    if not address.scheme or (field == "pretrained" and source.startswith(REGISTERED)):
        return
    local = address.scheme == "file"
    if address.scheme not in ("file", "http", "https") or bool(address.hostname) == local:
        raise ValueError(f"{field}: its address begins otherwise; {expected}")
    if "@" in address.netloc or address.query or address.fragment:
        raise ValueError(
            f"{field}: an address with a user, a password or what follows ? or # is not "
            "allowed, as job.json, keys and logs would show it; fetch the file, give its path"
        )


class PaddleOcrDetectorParams(PaddleOcrParams):
    """A detector of PaddleOCR's `configs/`, trained by its `tools/train.py`."""

    net: FileName = Field(
        "configs/det/det_mv3_db.yml",
        min_length=1,
        description="A DB detector's file in PaddleOCR's tree: configs/det/NAME.yml; or "
        "pp-ocrv3-mobile, pp-ocrv3-server, pp-ocrv4-mobile, pp-ocrv4-server, pp-ocrv5-mobile, "
        "pp-ocrv5-server. One that cannot be exported is refused before it is trained",
    )
    epochs: int = Field(100, ge=0, description="Passes over train; 0: takes pretrained as it is")
    batch_size: int = Field(8, ge=1, le=1024, description="Crops of pages per step, of all devices")
    learning_rate: float = Field(1e-3, gt=0, le=1, description="Peak learning rate")
    long_side_px: int = Field(
        1280,
        ge=64,
        le=4000,
        multiple_of=32,
        description="Larger pages are reduced to this long side; stock PaddleOCR ends at 4000",
    )
    crop_height_px: int = Field(
        640, ge=64, le=4096, multiple_of=32, description="Height of the crops learnt from"
    )
    crop_width_px: int = Field(
        640, ge=64, le=4096, multiple_of=32, description="Width of the crops learnt from"
    )


_RECOGNISERS: dict[str, type[Params]] = {
    "embedded": RecogniserTrainingParams,
    "paddleocr": PaddleOcrRecogniserParams,
}
_DETECTORS: dict[str, type[Params]] = {
    "embedded": DetectorTrainingParams,
    "paddleocr": PaddleOcrDetectorParams,
}
TrainingField = Literal["training", "recogniser", "detector"]
"""Where a form states a training: of lines, or of each net of pages."""
ENGINES: dict[str, dict[str, type[Params]]] = {
    "training": _RECOGNISERS,
    "recogniser": _RECOGNISERS,
    "detector": _DETECTORS,
}
"""The engines of each field that names one, and their parameters."""
ENGINE_NAMES = tuple(_RECOGNISERS)


def _engine_of(value: Any) -> Any:
    """Name the engine of a training; what names none is for the embedded one."""
    if isinstance(value, dict):
        return value.get("engine", "embedded")
    return getattr(value, "engine", "embedded")


def _lead_to_engine(value: Any, engines: dict[str, type[Params]]) -> Any:
    """Refuse keys that only an engine has which is not named, and say which one."""
    if isinstance(value, dict) and "engine" not in value:
        embedded, other = (model.model_fields.keys() for model in engines.values())
        keys = [key for key in value if key in other - embedded]
        if keys:
            raise ValueError(
                f"{', '.join(keys)}: only PaddleOCR's own trainer knows this; add engine: paddleocr"
            )
    return value


def _any_of(schema: dict[str, Any]) -> None:
    """Without its engine a form may fit both models, which oneOf would refuse."""
    schema["anyOf"] = schema.pop("oneOf")


RecogniserTraining = Annotated[
    Annotated[RecogniserTrainingParams, Tag("embedded")]
    | Annotated[PaddleOcrRecogniserParams, Tag("paddleocr")],
    Discriminator(_engine_of),
    BeforeValidator(partial(_lead_to_engine, engines=_RECOGNISERS)),
    Field(json_schema_extra=_any_of),
]
DetectorTraining = Annotated[
    Annotated[DetectorTrainingParams, Tag("embedded")]
    | Annotated[PaddleOcrDetectorParams, Tag("paddleocr")],
    Discriminator(_engine_of),
    BeforeValidator(partial(_lead_to_engine, engines=_DETECTORS)),
    Field(json_schema_extra=_any_of),
]
Training = RecogniserTraining | DetectorTraining


def check_engine(resources: ResourceParams, **trainings: Training) -> None:
    """Raise ValueError, naming the training's field, when an engine cannot use the resources."""
    for field, training in trainings.items():
        if not isinstance(training, PaddleOcrParams):
            continue
        if training.amp != "off" and resources.device == "cpu":
            raise ValueError(
                f"resources.device: cpu is not allowed with {field}.amp: {training.amp}; Paddle "
                "trains with mixed precision on a GPU alone, and would learn as with amp: off"
            )
        if training.batch_size % resources.ranks:
            nodes = f" on {resources.nodes} resources.nodes" if resources.nodes > 1 else ""
            raise ValueError(
                f"{field}.batch_size: {training.batch_size} is not allowed with engine: paddleocr "
                f"and resources.devices: {resources.devices}{nodes}, which share a batch; expected "
                f"a multiple of {resources.ranks}"
            )
