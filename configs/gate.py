"""When a candidate may replace the champion."""

from pydantic import Field

from configs.base import Params


class LineGateParams(Params):
    """The rules of promotion; accuracy is the share of exactly read texts."""

    margin: float = Field(
        0.015, ge=0, lt=1, description="Loss of accuracy the promotion bound tolerates"
    )
    max_relative_drop: float = Field(
        0.02, ge=0, lt=1, description="Drop relative to the champion that never passes"
    )
    min_accuracy: float = Field(0.0, ge=0, le=1, description="Floor of the accuracy")
    min_slice_accuracy: float = Field(0.0, ge=0, le=1, description="Floor of every slice")
    min_slice_size: int = Field(20, ge=1, description="Slices below this size are not judged")
    max_latency_ms: float = Field(1000.0, gt=0, description="Most milliseconds per image")
    max_size_mb: float = Field(500.0, gt=0, description="Most megabytes of the served model")


class PageGateParams(Params):
    """The rules of promotion of a pipeline; its score is the Hmean of lines found and read."""

    margin: float = Field(0.015, ge=0, lt=1, description="Loss of Hmean the bound tolerates")
    max_relative_drop: float = Field(
        0.02, ge=0, lt=1, description="Drop relative to the champion that never passes"
    )
    min_hmean: float = Field(0.0, ge=0, le=1, description="Floor of that Hmean")
    min_slice_accuracy: float = Field(
        0.0, ge=0, le=1, description="Floor of the share of lines read in every slice"
    )
    min_slice_size: int = Field(20, ge=1, description="Slices below this size are not judged")
    max_latency_ms: float = Field(5000.0, gt=0, description="Most milliseconds per page")
    max_size_mb: float = Field(500.0, gt=0, description="Most megabytes of both served models")
