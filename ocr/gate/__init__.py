"""The gate: whether a candidate may replace the champion."""

from ocr.gate.checks import Check, Verdict
from ocr.gate.evidence import Evidence, collect_line_evidence, collect_page_evidence
from ocr.gate.judge import Decision, judge
from ocr.gate.rules import GateRules

__all__ = [
    "Check",
    "Decision",
    "Evidence",
    "GateRules",
    "Verdict",
    "collect_line_evidence",
    "collect_page_evidence",
    "judge",
]
