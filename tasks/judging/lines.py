"""Apply the gate to an evaluation of lines, and write the report that a person reads."""

from collections.abc import Sequence
from functools import partial

from prefect import task

from configs.further import FurtherLinesParams
from configs.gate import LineGateParams
from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.evaluation.lines.report import LinesReport
from ocr.evaluation.suspects.crops import crops_of_lines
from ocr.gate.evidence import collect_line_evidence
from ocr.gate.judge import judge
from ocr.gate.rules import GateRules
from ocr.lineage.decision import count_judged
from ocr.models.bundle import read_recogniser_manifest
from ocr.report.lineage import describe_lineage
from ocr.report.lines.gallery import LineImage, choose_lines
from ocr.report.lines.html import ShownLines, render_lines_html
from ocr.report.lines.markdown import render_lines_markdown
from ocr.report.summary import summarise
from ocr.report.suspects import show_suspects
from tasks.judging.conclusion import (
    conclude,
    read_curves,
    read_environment,
    read_if_any,
)
from tasks.judging.further import collect_lines
from tasks.judging.latency import time_lines
from tasks.judging.overlap import find_overlap
from tasks.judging.rolled_back import was_rolled_back
from tasks.readers import load_recogniser
from tasks.references import EvaluationRef, JudgementRef
from tasks.workspace import open_workspace

GALLERY = 60
FURTHER_GALLERY = 12


@task(name="judge-lines")
def judge_lines(
    evaluation: EvaluationRef, gate: LineGateParams, sets: Sequence[FurtherLinesParams] = ()
) -> JudgementRef:
    """Decide whether the candidate may replace the champion; a refusal is a result."""
    workspace = open_workspace()
    model = evaluation.model
    bundle = workspace.fetch_bundle(workspace.registry.version(model.name, model.version))
    manifest = read_recogniser_manifest(bundle)
    report = LinesReport.read(workspace.store, evaluation.key)
    snapshot = workspace.open_lines(evaluation.dataset)
    evidence = collect_line_evidence(
        report,
        latency=time_lines(workspace, evaluation, snapshot),
        size_mb=(bundle / manifest.served_form).stat().st_size / 1e6,
        has_parity=bool(manifest.parity),
        was_rolled_back=was_rolled_back(workspace, model),
        overlap=find_overlap(workspace, evaluation.opponent, snapshot.samples("test")),
        judged_before=count_judged(
            workspace.store, report, model=model.name, version=model.version
        ),
    )
    further = collect_lines(workspace, evaluation, sets)
    decision = judge(
        evidence, GateRules(**gate.model_dump()), further=[each.found for each in further]
    )
    (checkpoint,) = model.checkpoints
    html = render_lines_html(
        report,
        decision,
        images=_read_gallery(snapshot, report, most=GALLERY),
        further={
            each.found.name: ShownLines(
                each.report, _read_gallery(each.snapshot, each.report, most=FURTHER_GALLERY)
            )
            for each in further
        },
        lineage=describe_lineage(
            manifest,
            dataset=evaluation.dataset,
            opponent=evaluation.opponent,
            champion=evaluation.champion or "",
            further={each.name: each.dataset for each in evaluation.further},
            snapshot=snapshot.manifest,
            environment=read_environment(workspace, checkpoint),
        ),
        curves=read_curves(workspace, checkpoint),
        composition_png=read_if_any(workspace, f"{checkpoint}/composition.png"),
        suspects=show_suspects(
            partial(crops_of_lines, snapshot, "test"),
            load_recogniser(workspace, model.reference),
            misread=report.misread(),
        ),
        gallery=GALLERY,
        further_gallery=FURTHER_GALLERY,
    )
    markdown = render_lines_markdown(report, decision, title=model.reference)
    summary = summarise(evidence, decision)
    return conclude(workspace, evaluation, report, decision, summary, html=html, markdown=markdown)


def _read_gallery(
    snapshot: LineSnapshot, report: LinesReport, *, most: int
) -> dict[str, LineImage]:
    wanted = {line.id for lines in choose_lines(report, most=most).values() for line in lines}
    samples = [sample for sample in snapshot.samples("test") if sample.id in wanted]
    return {sample.id: LineImage(snapshot.image(sample), sample.image) for sample in samples}
