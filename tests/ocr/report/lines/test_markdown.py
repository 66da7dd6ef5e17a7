from dataclasses import replace

import pytest

from ocr.evaluation.lines.report import LinesReport
from ocr.gate.further import judge_set
from ocr.report.lines.markdown import render_lines_markdown
from tests.ocr.evaluation.lines.scenes import ScriptedRecogniser, evaluate_scripted, lines
from tests.ocr.gate.scenes import compare, general, judge_lines


def evaluate(texts: list[str], *, paired: bool) -> LinesReport:
    return evaluate_scripted(
        candidate=ScriptedRecogniser("new", lambda number: (texts[number][1:], 0.9)),
        opponent=ScriptedRecogniser("old", lambda number: (texts[number], 0.5)) if paired else None,
        samples=lines(texts),
        resamples=200,
    )


@pytest.mark.parametrize("paired", [True, False])
def test_short_form_has_decision_metrics_rules_and_errors(paired: bool) -> None:
    report = evaluate([f"{n:04}" for n in range(40)], paired=paired)

    markdown = render_lines_markdown(report, judge_lines(report), title="plates:9c41")

    assert markdown.startswith("# ⛔ Block: plates:9c41")
    assert "| Accuracy | **0.0%**" in markdown
    assert "## Rules" in markdown
    assert "## Worst errors" in markdown


def test_heading_is_the_verdict() -> None:
    texts = [f"{n:04}" for n in range(40)]
    report = evaluate_scripted(
        candidate=ScriptedRecogniser("new", lambda number: (texts[number], 0.9)),
        opponent=None,
        samples=lines(texts),
        resamples=200,
    )

    markdown = render_lines_markdown(report, judge_lines(report), title="plates:9c41")

    assert markdown.startswith("# ✅ Promote: plates:9c41")


def test_every_row_of_a_table_has_the_cells_of_its_head() -> None:
    report = evaluate(["a|b", "c`d", "<b>", "[x](y)"], paired=True)

    markdown = render_lines_markdown(report, judge_lines(report), title="x")

    for table in markdown.split("\n\n"):
        if table.startswith("|"):
            assert len({row.count(" | ") for row in table.splitlines()}) == 1


def test_hostile_text_is_neither_markup_nor_markdown() -> None:
    report = evaluate(["x<script>alert(1)</script>", "y![](http://evil)", "z|a\nb"], paired=True)

    markdown = render_lines_markdown(report, judge_lines(report), title="x")

    assert "<script" not in markdown
    assert "![](http" not in markdown


def test_short_form_has_a_table_of_further_sets() -> None:
    report = evaluate([f"{n:04}" for n in range(40)], paired=True)
    forgot = compare(candidate=0.80, opponent=0.90, lower=-0.13, upper=-0.07)
    decision = replace(judge_lines(report), further=[judge_set(general(forgot))])

    markdown = render_lines_markdown(report, decision, title="plates:9c41")

    (row,) = [line for line in markdown.splitlines() if line.startswith("| general |")]
    assert "| 1,000 | **80.0%** (77.4% – 82.4%) | **90.0%**" in row
    assert row.endswith("| −10.0 points (−13.0 to −7.0) | ⏸️ |")
