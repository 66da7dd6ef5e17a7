"""The whole line: labelled images in, a model that answers out. ``ocrline retrain meters``."""

from collections.abc import Iterator
from typing import Any

from prefect import flow

from configs.retrain import RetrainParams
from flows.stages import Stage, run_until
from tasks.deploy import deploy_model
from tasks.evaluate import evaluate_model
from tasks.export import export_model
from tasks.judge import judge_candidate
from tasks.prepare import prepare_dataset
from tasks.train import train_model


@flow(name="retrain", flow_run_name="{params.name}")
def retrain(params: RetrainParams, until: Stage = "deploy") -> Any:
    """Retrain one model and put it online if it earned it.

    Args:
        params: What to train on, how, and when to accept the candidate.
        until: Last stage to run; all before it are found or made.
    """
    return run_until(until, _line(params))


def _line(params: RetrainParams) -> Iterator[Any]:
    dataset = prepare_dataset(params.dataset, params.name)
    yield dataset
    checkpoint = train_model(dataset, params.training, params.resources)
    yield checkpoint
    candidate = export_model(checkpoint, dataset, params.name, params.training)
    yield candidate
    evaluation = evaluate_model(candidate, dataset, params.evaluation)
    yield evaluation
    judgement = judge_candidate(evaluation, params.gate)
    yield judgement
    if judgement.accepted:
        deploy_model(evaluation, judgement, params.deployment)
    yield judgement
