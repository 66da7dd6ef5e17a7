"""Apply the gate to an evaluation of pages, and write the report that a person reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from prefect import task

from configs.further import FurtherPagesParams
from configs.gate import PageGateParams
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.evaluation.pages.report import PagesReport
from ocr.evaluation.suspects.crops import crops_of_pages
from ocr.gate.evidence import collect_page_evidence
from ocr.gate.judge import Decision, judge
from ocr.gate.rules import GateRules
from ocr.image.pixels import Image
from ocr.lineage.decision import count_judged
from ocr.models.bundle import (
    ModelManifest,
    read_detector_manifest,
    read_recogniser_manifest,
)
from ocr.models.pipeline import PipelineManifest, read_pipeline_manifest
from ocr.report.lineage import describe_lineage, describe_part
from ocr.report.pages.gallery import choose_pages
from ocr.report.pages.html import ShownPages, render_pages_html
from ocr.report.pages.losses import LossRow, tabulate_losses
from ocr.report.pages.markdown import render_pages_markdown
from ocr.report.summary import summarise
from ocr.report.suspects import show_suspects
from tasks.judging.conclusion import (
    conclude,
    read_curves,
    read_environment,
)
from tasks.judging.further import FurtherTest, collect_pages
from tasks.judging.latency import time_pages
from tasks.judging.overlap import find_overlap
from tasks.judging.rolled_back import was_rolled_back
from tasks.readers import load_line_reader
from tasks.references import EvaluationRef, JudgementRef, ModelRef
from tasks.workspace import Workspace, open_workspace

GALLERY = 24
FURTHER_GALLERY = 4


@task(name="judge-pages")
def judge_pages(
    evaluation: EvaluationRef, gate: PageGateParams, sets: Sequence[FurtherPagesParams] = ()
) -> JudgementRef:
    """Decide whether the pipeline may replace the champion; a refusal is a result."""
    workspace = open_workspace()
    candidate = _fetch(workspace, evaluation.model)
    report = PagesReport.read(workspace.store, evaluation.key)
    snapshot = workspace.open_pages(evaluation.dataset)
    evidence = collect_page_evidence(
        report,
        latency=time_pages(workspace, evaluation, snapshot),
        size_mb=candidate.size_mb,
        has_parity=all(part.parity for part in candidate.parts),
        was_rolled_back=was_rolled_back(workspace, evaluation.model),
        overlap=find_overlap(workspace, evaluation.opponent, snapshot.samples("test")),
        second_overlap=find_overlap(
            workspace,
            candidate.pipeline.second_recogniser or "",
            snapshot.samples("test"),
            are_pages=True,
        ),
        judged_before=count_judged(
            workspace.store, report, model=evaluation.model.name, version=evaluation.model.version
        ),
    )
    rules = gate.model_dump(exclude={"min_hmean"})
    further = collect_pages(workspace, evaluation, sets)
    decision = judge(
        evidence,
        GateRules(min_accuracy=gate.min_hmean, **rules),
        further=[each.found for each in further],
    )
    losses = tabulate_losses(report)
    html = _render(
        workspace,
        evaluation,
        candidate,
        snapshot,
        report=report,
        decision=decision,
        losses=losses,
        further=further,
    )
    title = evaluation.model.reference
    markdown = render_pages_markdown(report, decision, title=title, losses=losses)
    summary = summarise(evidence, decision)
    return conclude(workspace, evaluation, report, decision, summary, html=html, markdown=markdown)


@dataclass(frozen=True)
class _Candidate:
    """A pipeline's manifest, those of its parts, and megabytes of all models."""

    pipeline: PipelineManifest
    parts: tuple[ModelManifest, ...]
    size_mb: float


def _fetch(workspace: Workspace, model: ModelRef) -> _Candidate:
    def fetch(reference: str) -> Path:
        return workspace.fetch_bundle(workspace.registry.resolve(reference))

    pipeline = read_pipeline_manifest(fetch(model.reference))
    readers = (pipeline.recogniser, pipeline.second_recogniser)
    detector, recognisers = fetch(pipeline.detector), [fetch(each) for each in readers if each]
    parts = (read_detector_manifest(detector), *map(read_recogniser_manifest, recognisers))
    nets = zip((detector, *recognisers), parts, strict=True)
    return _Candidate(
        pipeline=pipeline,
        parts=parts,
        size_mb=sum((bundle / part.served_form).stat().st_size for bundle, part in nets) / 1e6,
    )


def _render(
    workspace: Workspace,
    evaluation: EvaluationRef,
    candidate: _Candidate,
    snapshot: PageSnapshot,
    *,
    report: PagesReport,
    decision: Decision,
    losses: Sequence[LossRow],
    further: Sequence[FurtherTest[PagesReport, PageSnapshot]],
) -> str:
    detector, recogniser = evaluation.model.checkpoints
    return render_pages_html(
        report,
        decision,
        losses=losses,
        images=_read_gallery(snapshot, report, most=GALLERY),
        further={
            each.found.name: ShownPages(
                each.report, _read_gallery(each.snapshot, each.report, most=FURTHER_GALLERY)
            )
            for each in further
        },
        lineage=describe_lineage(
            candidate.pipeline,
            dataset=evaluation.dataset,
            opponent=evaluation.opponent,
            champion=evaluation.champion or "",
            further={each.name: each.dataset for each in evaluation.further},
            snapshot=snapshot.manifest,
            environment={},
        ),
        parts=[
            describe_part(part, environment=read_environment(workspace, part.checkpoint))
            for part in candidate.parts
        ],
        curves={
            "detector": read_curves(workspace, detector),
            "recogniser": read_curves(workspace, recogniser),
        },
        suspects=show_suspects(
            partial(crops_of_pages, snapshot, "test"),
            load_line_reader(workspace, evaluation.model.reference),
            misread=report.misread(),
        ),
        gallery=GALLERY,
        further_gallery=FURTHER_GALLERY,
    )


def _read_gallery(snapshot: PageSnapshot, report: PagesReport, *, most: int) -> dict[str, Image]:
    wanted = {page.id for page in choose_pages(report, most=most)}
    samples = [sample for sample in snapshot.samples("test") if sample.id in wanted]
    return {sample.id: snapshot.image(sample) for sample in samples}
