"""The parameters of a whole project: of text lines, or of pages."""

from typing import Any

from pydantic import Field, ValidationInfo, model_validator

from configs.base import NAME_PATTERN, Params
from configs.dataset import LineDatasetParams, PageDatasetParams
from configs.deployment import DeploymentParams
from configs.evaluation import LineEvaluationParams, PageEvaluationParams
from configs.further import check_further
from configs.gate import LineGateParams, PageGateParams
from configs.operation.smoke import SmokeParams
from configs.paddleocr import DetectorTraining, RecogniserTraining, check_engine
from configs.people.approval import ApprovalParams
from configs.templates import lay_under
from configs.training import DetectorTrainingParams, RecogniserTrainingParams, ResourceParams

HAS_TEMPLATE = {"template": "laid under"}
"""Context of a validation whose values are complete: what equals a default was stated."""


class RetrainParams(Params):
    """What projects of lines and of pages have in common."""

    @model_validator(mode="before")
    @classmethod
    def _lay_template(cls, values: Any, info: ValidationInfo) -> Any:
        """Complete what a form sends, which states every field."""
        if info.context == HAS_TEMPLATE or not isinstance(values, dict):
            return values
        return lay_under(values, cls.model_fields, defaults_are_stated=False)


class RetrainLinesParams(RetrainParams):
    """One retraining: from labelled images to a model that answers."""

    name: str = Field("lines", pattern=NAME_PATTERN, description="Name of the model")
    dataset: LineDatasetParams = Field(
        default=LineDatasetParams(), description="The labelled images"
    )
    training: RecogniserTraining = Field(
        default=RecogniserTrainingParams(), description="The training"
    )
    resources: ResourceParams = Field(default=ResourceParams(), description="What it runs on")
    smoke: SmokeParams = Field(default=SmokeParams(), description="A short training first")
    evaluation: LineEvaluationParams = Field(default=LineEvaluationParams(), description="The test")
    gate: LineGateParams = Field(
        default=LineGateParams(), description="When a candidate is accepted"
    )
    approval: ApprovalParams = Field(
        default=ApprovalParams(), description="Who says yes before it goes online"
    )
    deployment: DeploymentParams = Field(default=DeploymentParams(), description="Where it goes")

    @model_validator(mode="after")
    def _check_together(self) -> "RetrainLinesParams":
        self.evaluation.check_first_model("min_accuracy", self.gate.min_accuracy)
        check_further(self.evaluation.further, self.dataset)
        check_engine(self.resources, training=self.training)
        return self


class CascadeParams(Params):
    """A second, more accurate recogniser for the lines that the project's own is unsure of."""

    recogniser: str = Field(
        "",
        description="A recogniser of the registry, or a pipeline that has one: NAME, its champion, "
        "or NAME:VERSION; it reads unsure lines again. Empty: nobody does",
    )
    time_factor: float = Field(
        2.0,
        gt=1,
        le=100,
        description="Reading lines may take so many times what the project's own recogniser takes "
        "alone; which lines are read again follows from it, on the validation split",
    )


class RetrainPagesParams(RetrainParams):
    """One retraining of a detector and a recogniser: from labelled pages to pages that are read."""

    name: str = Field(
        "pages",
        pattern=NAME_PATTERN,
        max_length=50,
        description="Name of the pipeline; its parts are NAME-detector and NAME-recogniser",
    )
    dataset: PageDatasetParams = Field(
        default=PageDatasetParams(), description="The labelled pages"
    )
    detector: DetectorTraining = Field(
        default=DetectorTrainingParams(), description="The training of the detector"
    )
    recogniser: RecogniserTraining = Field(
        default=RecogniserTrainingParams(),
        description="The training of the recogniser, on the pages' lines",
    )
    cascade: CascadeParams = Field(
        default=CascadeParams(), description="A second recogniser for unsure lines"
    )
    resources: ResourceParams = Field(
        default=ResourceParams(), description="What each of the two trainings runs on, at once"
    )
    smoke: SmokeParams = Field(default=SmokeParams(), description="A short training first")
    evaluation: PageEvaluationParams = Field(default=PageEvaluationParams(), description="The test")
    gate: PageGateParams = Field(
        default=PageGateParams(), description="When a candidate is accepted"
    )
    approval: ApprovalParams = Field(
        default=ApprovalParams(), description="Who says yes before it goes online"
    )
    deployment: DeploymentParams = Field(default=DeploymentParams(), description="Where it goes")

    @model_validator(mode="after")
    def _check_together(self) -> "RetrainPagesParams":
        self.evaluation.check_first_model("min_hmean", self.gate.min_hmean)
        check_further(self.evaluation.further, self.dataset)
        check_engine(self.resources, detector=self.detector, recogniser=self.recogniser)
        return self

    @property
    def detector_name(self) -> str:
        """Name of the detector in the registry."""
        return f"{self.name}-detector"

    @property
    def recogniser_name(self) -> str:
        """Name of the recogniser in the registry."""
        return f"{self.name}-recogniser"
