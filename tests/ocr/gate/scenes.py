"""Evaluations before the gate, by the rules that a preset begins with."""

from configs.gate import LineGateParams, PageGateParams
from ocr.evaluation.lines.report import LinesReport
from ocr.evaluation.pages.report import PagesReport
from ocr.gate.evidence import collect_line_evidence, collect_page_evidence
from ocr.gate.judge import Decision, judge
from ocr.gate.rules import GateRules

LINE_RULES = GateRules(**LineGateParams().model_dump())
PAGE_RULES = GateRules(min_accuracy=0.0, **PageGateParams().model_dump(exclude={"min_hmean"}))


def judge_lines(report: LinesReport, rules: GateRules = LINE_RULES) -> Decision:
    evidence = collect_line_evidence(report, size_mb=3.0, has_parity=True, was_rolled_back=False)
    return judge(evidence, rules)


def judge_pages(report: PagesReport, rules: GateRules = PAGE_RULES) -> Decision:
    evidence = collect_page_evidence(report, size_mb=3.0, has_parity=True, was_rolled_back=False)
    return judge(evidence, rules)
