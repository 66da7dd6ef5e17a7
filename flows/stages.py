"""The line up to one stage. What is before it is found by its digest, or made."""

from typing import Any

from prefect import Flow, flow

from configs.retrain import RetrainParams
from flows.retrain import retrain
from tasks.evaluate import evaluate_model
from tasks.export import export_model
from tasks.judge import judge_candidate
from tasks.prepare import prepare_dataset
from tasks.references import CheckpointRef, EvaluationRef, JudgementRef, ModelRef, SnapshotRef
from tasks.train import train_model


@flow(name="prepare", flow_run_name="{params.name}")
def prepare(params: RetrainParams) -> SnapshotRef:
    """Prepare the dataset.

    Args:
        params: What to read and what to accept.
    """
    return prepare_dataset(params.dataset, params.name)


@flow(name="train", flow_run_name="{params.name}")
def train(params: RetrainParams) -> CheckpointRef:
    """Prepare the dataset and train on it.

    Args:
        params: What to train on, and how.
    """
    dataset = prepare_dataset(params.dataset, params.name)
    return train_model(dataset, params.training, params.resources)


@flow(name="export", flow_run_name="{params.name}")
def export(params: RetrainParams) -> ModelRef:
    """Register a candidate; judge and deploy nothing.

    Args:
        params: What to train on, and how.
    """
    dataset = prepare_dataset(params.dataset, params.name)
    checkpoint = train_model(dataset, params.training, params.resources)
    return export_model(checkpoint, dataset, params)


@flow(name="evaluate", flow_run_name="{params.name}")
def evaluate(params: RetrainParams) -> EvaluationRef:
    """Measure a candidate beside the champion; judge and deploy nothing.

    Args:
        params: What to train on, how, and what to compare with.
    """
    dataset = prepare_dataset(params.dataset, params.name)
    checkpoint = train_model(dataset, params.training, params.resources)
    candidate = export_model(checkpoint, dataset, params)
    return evaluate_model(candidate, dataset, params.evaluation)


@flow(name="judge", flow_run_name="{params.name}")
def judge(params: RetrainParams) -> JudgementRef:
    """Judge a candidate and write its report; deploy nothing.

    Args:
        params: What to train on, how, and when to accept the candidate.
    """
    dataset = prepare_dataset(params.dataset, params.name)
    checkpoint = train_model(dataset, params.training, params.resources)
    candidate = export_model(checkpoint, dataset, params)
    evaluation = evaluate_model(candidate, dataset, params.evaluation)
    return judge_candidate(evaluation, params.gate)


STAGES: dict[str, Flow[[RetrainParams], Any]] = {
    "prepare": prepare,
    "train": train,
    "export": export,
    "evaluate": evaluate,
    "judge": judge,
    "deploy": retrain,
}
