"""What a candidate is measured beside."""

from typing import Any, ClassVar, Final, Literal

from pydantic import Field, model_validator

from configs.base import FileName, Params
from configs.further import FurtherLinesParams, FurtherPagesParams

# Of lines and of pages: a base class would put these before the fields that differ.
RESAMPLES: Final[Any] = Field(2000, ge=200, le=100_000, description="Bootstrap resamples")
SEED: Final[Any] = Field(0, ge=0, description="Seed of the bootstrap")
READINGS: Final[Any] = Field(
    "",
    description="For readings: file or folder of what reads today made of the test images, as "
    "PaddleOCR's tools write it",
)


class EvaluationParams(Params):
    """Which baseline stands in while there is no champion."""

    number: ClassVar[str]
    """Name of the field that `baseline: number` is about."""

    baseline: str
    baseline_bundle: str
    baseline_readings: str

    @model_validator(mode="after")
    def _check_baseline(self) -> "EvaluationParams":
        if self.baseline == "bundle" and not self.baseline_bundle:
            raise ValueError("baseline is bundle, so baseline_bundle must name one: NAME:VERSION")
        if self.baseline == "readings" and not self.baseline_readings:
            raise ValueError("baseline is readings, so baseline_readings must name their file")
        if self.baseline == "number" and not getattr(self, self.number):
            raise ValueError(f"baseline is number, so {self.number} must be above 0")
        return self

    def check_first_model(self, floor: str, value: float) -> None:
        """Check that a first model has something to reach.

        Args:
            floor: Name of the gate's floor.
            value: The floor.

        Raises:
            ValueError: There is neither a baseline nor a floor.
        """
        if self.baseline == "none" and not value:
            raise ValueError(
                f"evaluation.baseline is none and gate.{floor} is 0, so any first model would "
                "pass; name a baseline (rapidocr) or set a floor above 0"
            )


class LineEvaluationParams(EvaluationParams):
    """The test and its stand-in when there is no champion yet."""

    number = "baseline_accuracy"

    baseline: Literal[
        "none", "bundle", "readings", "rapidocr", "paddleocr", "tesseract", "number"
    ] = Field(
        "none", description="What the first candidate is compared with while there is no champion"
    )
    baseline_bundle: str = Field("", description="For bundle: NAME:VERSION in the registry")
    baseline_readings: FileName = READINGS
    baseline_accuracy: float = Field(0.0, ge=0, le=1, description="For number: exact-match share")
    further: list[FurtherLinesParams] = Field(
        default=[],
        description="Further test sets that a candidate must not forget, each with its bounds",
    )
    resamples: int = RESAMPLES
    seed: int = SEED


class PageEvaluationParams(EvaluationParams):
    """The test of whole pages and its stand-in when there is no champion yet."""

    number = "baseline_hmean"

    baseline: Literal["none", "bundle", "readings", "rapidocr", "tesseract", "number"] = Field(
        "none", description="What the first candidate is compared with while there is no champion"
    )
    baseline_bundle: str = Field("", description="For bundle: NAME:VERSION of a pipeline")
    baseline_readings: FileName = READINGS
    baseline_hmean: float = Field(
        0.0, ge=0, le=1, description="For number: Hmean of the lines found and read"
    )
    further: list[FurtherPagesParams] = Field(
        default=[],
        description="Further test sets that a candidate must not forget, each with its bounds",
    )
    resamples: int = RESAMPLES
    seed: int = SEED
