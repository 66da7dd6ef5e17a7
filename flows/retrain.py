"""The whole line: labelled images in, a model that answers out. ``ocrline retrain demo``."""

from prefect import flow

from configs.retrain import RetrainParams
from tasks.deploy import deploy_model
from tasks.evaluate import evaluate_model
from tasks.export import export_model
from tasks.judge import judge_candidate
from tasks.prepare import prepare_dataset
from tasks.references import JudgementRef
from tasks.train import train_model


@flow(name="retrain", flow_run_name="{params.name}", log_prints=False)
def retrain(params: RetrainParams) -> JudgementRef:
    """Retrain one model and put it online if it earned it.

    Args:
        params: What to train on, how, and when to accept the candidate.
    """
    dataset = prepare_dataset(params.dataset, params.name)
    checkpoint = train_model(dataset, params.training, params.resources)
    candidate = export_model(checkpoint, dataset, params)
    evaluation = evaluate_model(candidate, dataset, params.evaluation)
    judgement = judge_candidate(evaluation, params.gate)
    if judgement.accepted:
        deploy_model(evaluation, judgement, params.deployment)
    return judgement
