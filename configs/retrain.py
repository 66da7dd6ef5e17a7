"""The parameters of the whole line."""

from pydantic import Field

from configs.base import NAME_PATTERN, Params
from configs.dataset import DatasetParams
from configs.deployment import DeploymentParams
from configs.evaluation import EvaluationParams
from configs.gate import GateParams
from configs.training import ResourceParams, TrainingParams


class RetrainParams(Params):
    """One retraining: from labelled images to a model that answers."""

    name: str = Field("lines", pattern=NAME_PATTERN, description="Name of the model")
    dataset: DatasetParams = Field(default=DatasetParams(), description="The labelled images")
    training: TrainingParams = Field(default=TrainingParams(), description="The training")
    resources: ResourceParams = Field(default=ResourceParams(), description="What it runs on")
    evaluation: EvaluationParams = Field(default=EvaluationParams(), description="The test")
    gate: GateParams = Field(default=GateParams(), description="When a candidate is accepted")
    deployment: DeploymentParams = Field(default=DeploymentParams(), description="Where it goes")
