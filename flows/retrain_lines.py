"""Labelled lines in, a recogniser that answers out: ``ocrline retrain plates``."""

from typing import Any

from prefect import flow

from configs.retrain import RetrainLinesParams
from flows.stages import Stage, Stages, reaches, run_until
from tasks.approving.approval import seek_approval
from tasks.deploy import check_gateway, deploy_model
from tasks.engine import check_engine, check_name, find_start, fit_to_server
from tasks.evaluate import evaluate_lines
from tasks.export import export_recogniser
from tasks.judging.lines import judge_lines
from tasks.keeping.history import keep_history
from tasks.measuring.baseline import check_baseline
from tasks.measuring.elsewhere import check_readings
from tasks.notifying.hooks import tell_failure
from tasks.prepare_lines import prepare_further_lines, prepare_lines
from tasks.references import EvaluationRef, JudgementRef
from tasks.starting.smoke import smoke_recogniser
from tasks.starting.turn import ModelBusy, give_up, take_turn
from tasks.sweep import sweep_leftovers
from tasks.train import train_recogniser


@flow(name="retrain-lines", flow_run_name="{params.name}", on_failure=[tell_failure])
def retrain_lines(params: RetrainLinesParams, until: Stage = "deploy") -> Any:
    """Retrain one model and put it online if it earned it.

    Args:
        params: What to train on, how, and when to accept the candidate.
        until: Last stage to run; all before it are found or made.
    """
    try:
        with keep_history(params, until) as history:
            return run_until(until, history.follow(_run(params, until)))
    except ModelBusy as busy:
        return give_up(busy)


def _run(params: RetrainLinesParams, until: Stage) -> Stages:
    training = fit_to_server(params.training, params.deployment)
    if reaches(until, "smoke"):
        check_engine(params.resources, {"training": training})
        training = find_start(training, params.name, "recogniser")
        check_name(params.name, "recognition")
    if reaches(until, "deploy"):
        check_gateway(params.name, params.deployment)
    sweep_leftovers()
    if reaches(until, "evaluate"):
        check_baseline(params.evaluation, params.name)
    dataset = prepare_lines(params.dataset, params.name)
    further = prepare_further_lines(params.evaluation.further, params.dataset.texts)
    yield "prepare", dataset
    if reaches(until, "evaluate"):
        check_readings(params.evaluation, params.name, dataset)
    with take_turn(params.name):
        if params.smoke.must_pass or until == "smoke":
            yield "smoke", smoke_recogniser(dataset, training, params.resources)
        checkpoint = train_recogniser(dataset, training, params.resources)
    yield "train", checkpoint
    candidate = export_recogniser(checkpoint, dataset, params.name, training, params.resources)
    yield "export", candidate

    def evaluate() -> EvaluationRef:
        return evaluate_lines(candidate, dataset, params.evaluation, further)

    def judge(evaluation: EvaluationRef) -> JudgementRef:
        return judge_lines(evaluation, params.gate, params.evaluation.further)

    evaluation = evaluate()
    yield "evaluate", evaluation
    judgement = judge(evaluation)
    yield "judge", judgement
    evaluation, judgement = seek_approval(
        evaluation, judgement, params.approval, evaluate=evaluate, judge=judge
    )
    yield "evaluate", evaluation  # another one, where the champion moved while a person was asked
    if judgement.accepted:
        deploy_model(evaluation, judgement, params.deployment)
    yield "deploy", judgement
