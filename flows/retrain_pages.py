"""Labelled pages in, a pipeline that reads pages out: ``ocrline retrain receipts``."""

from typing import Any

from prefect import Task, flow

from configs.paddleocr import DetectorTraining, RecogniserTraining
from configs.retrain import RetrainPagesParams
from flows.stages import Stage, Stages, reaches, run_until
from tasks.approving.approval import seek_approval
from tasks.assembling.assemble import assemble_pipeline
from tasks.assembling.cascade import find_cascade
from tasks.deploy import check_gateway, deploy_model
from tasks.engine import check_engine, check_name, find_start, fit_to_server
from tasks.evaluate import evaluate_pages
from tasks.export import export_detector, export_recogniser
from tasks.judging.pages import judge_pages
from tasks.keeping.history import keep_history
from tasks.measuring.baseline import check_baseline
from tasks.measuring.elsewhere import check_readings
from tasks.notifying.hooks import tell_failure
from tasks.prepare_pages import crop_pages, prepare_further_pages, prepare_pages
from tasks.references import EvaluationRef, JudgementRef
from tasks.run.together import finish_together
from tasks.starting.smoke import smoke_detector, smoke_recogniser
from tasks.starting.turn import ModelBusy, give_up, take_turn
from tasks.sweep import sweep_leftovers
from tasks.train import train_detector, train_recogniser


@flow(name="retrain-pages", flow_run_name="{params.name}", on_failure=[tell_failure])
def retrain_pages(params: RetrainPagesParams, until: Stage = "deploy") -> Any:
    """Retrain a detector and a recogniser and put both online if they earned it together.

    Args:
        params: What to train on, how, and when to accept the candidate.
        until: Last stage to run; all before it are found or made.
    """
    try:
        with keep_history(params, until) as history:
            return run_until(until, history.follow(_run(params, until)))
    except ModelBusy as busy:
        return give_up(busy)


def _run(params: RetrainPagesParams, until: Stage) -> Stages:
    detecting, recognising = _fit_nets(params)
    if reaches(until, "smoke"):
        check_engine(params.resources, {"detector": detecting, "recogniser": recognising})
        detecting = find_start(detecting, params.name, "detector", "detector")
        recognising = find_start(recognising, params.name, "recogniser", "recogniser")
        check_name(params.name, "pipeline")
    if reaches(until, "deploy"):
        check_gateway(params.name, params.deployment)
    sweep_leftovers()
    if reaches(until, "evaluate"):
        check_baseline(params.evaluation, params.name)
    pages = prepare_pages(params.dataset)
    crops = crop_pages(pages, params.dataset, params.recogniser_name)
    cascade = find_cascade(params.cascade, crops, params.deployment)
    further = prepare_further_pages(params.evaluation.further, params.dataset.texts)
    yield "prepare", pages
    if reaches(until, "evaluate"):
        check_readings(params.evaluation, params.name, pages)

    def both(detect: Task[..., Any], read: Task[..., Any]) -> Any:
        found = detect.submit(pages, detecting, params.resources)
        # Several machines meet at one address: those of one net first.
        after = [found] * (params.resources.nodes > 1)
        other = read.submit(
            crops, recognising, params.resources, "recogniser", return_state=False, wait_for=after
        )
        return finish_together(found, other)

    with take_turn(params.name):
        if params.smoke.must_pass or until == "smoke":
            yield "smoke", both(smoke_detector, smoke_recogniser)
        detector, recogniser = both(train_detector, train_recogniser)
    yield "train", (detector, recogniser)
    parts = finish_together(
        export_detector.submit(detector, pages, params.detector_name, detecting, params.resources),
        export_recogniser.submit(
            recogniser, crops, params.recogniser_name, recognising, params.resources
        ),
    )
    pipeline = assemble_pipeline(params.name, *parts, pages, cascade)
    yield "export", pipeline

    def evaluate() -> EvaluationRef:
        return evaluate_pages(pipeline, pages, params.evaluation, further)

    def judge(evaluation: EvaluationRef) -> JudgementRef:
        return judge_pages(evaluation, params.gate, params.evaluation.further)

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


def _fit_nets(params: RetrainPagesParams) -> tuple[DetectorTraining, RecogniserTraining]:
    detecting = fit_to_server(params.detector, params.deployment)
    return detecting, fit_to_server(params.recogniser, params.deployment)
