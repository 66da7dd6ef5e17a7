"""Against what a candidate is measured."""

from typing import Literal

from pydantic import Field, model_validator

from configs.base import Params


class LineEvaluationParams(Params):
    """The test and its stand-in when there is no champion yet."""

    baseline: Literal["none", "bundle", "rapidocr", "paddleocr", "tesseract", "number"] = Field(
        "none", description="What the first candidate is compared with while there is no champion"
    )
    baseline_bundle: str = Field("", description="For bundle: NAME:VERSION in the registry")
    baseline_accuracy: float = Field(0.0, ge=0, le=1, description="For number: exact-match share")
    resamples: int = Field(2000, ge=200, le=100_000, description="Bootstrap resamples")
    seed: int = Field(0, ge=0, description="Seed of the bootstrap")

    @model_validator(mode="after")
    def _check_bundle(self) -> "LineEvaluationParams":
        if self.baseline == "bundle" and not self.baseline_bundle:
            raise ValueError("baseline is bundle, so baseline_bundle must name one: NAME:VERSION")
        return self


class PageEvaluationParams(Params):
    """The test of whole pages and its stand-in when there is no champion yet."""

    baseline: Literal["none", "bundle", "rapidocr", "tesseract", "number"] = Field(
        "none", description="What the first candidate is compared with while there is no champion"
    )
    baseline_bundle: str = Field("", description="For bundle: NAME:VERSION of a pipeline")
    baseline_hmean: float = Field(
        0.0, ge=0, le=1, description="For number: Hmean of the lines found and read"
    )
    resamples: int = Field(2000, ge=200, le=100_000, description="Bootstrap resamples")
    seed: int = Field(0, ge=0, description="Seed of the bootstrap")

    @model_validator(mode="after")
    def _check_bundle(self) -> "PageEvaluationParams":
        if self.baseline == "bundle" and not self.baseline_bundle:
            raise ValueError("baseline is bundle, so baseline_bundle must name one: NAME:VERSION")
        return self
