"""The few lines that a person decides by."""

from dataclasses import replace

from ocr.evaluation.bootstrap import wilson
from ocr.evaluation.slices import SliceReport
from ocr.gate.evidence import Evidence
from ocr.gate.judge import judge
from ocr.report.summary import Summary, render_question, summarise
from tests.ocr.gate.scenes import BETTER, LINE_RULES, found, general


def part(name: str, *, gained: int, lost: int) -> SliceReport:
    return SliceReport(
        kind="length",
        name=name,
        n=100,
        accuracy=wilson(80, 100),
        opponent_accuracy=0.85,
        gained=gained,
        lost=lost,
        p_value=0.5,
    )


def summary_of(evidence: Evidence) -> Summary:
    return summarise(evidence, judge(evidence, LINE_RULES, further=[general()]))


SUMMARY = summary_of(
    found(
        BETTER,
        slices=[
            part("1 to 4", gained=1, lost=2),
            part("5 to 8", gained=1, lost=6),
            part("9 to 16", gained=6, lost=1),
        ],
    )
)


def test_summary_has_the_numbers_that_decided_and_the_parts_that_fell() -> None:
    assert (SUMMARY.candidate, SUMMARY.bounds) == ("90.0%", "88.0% to 91.7%")
    assert (SUMMARY.other, SUMMARY.change) == ("87.0%", "+3.0 points")
    assert SUMMARY.change_bounds == "+1.0 to +5.0"
    assert SUMMARY.fell == (  # the one that lost most first
        "length: 5 to 8: 80.0%, −5.0 points on 100 lines",
        "length: 1 to 4: 80.0%, −5.0 points on 100 lines",
    )
    assert SUMMARY.further == ("general: accuracy 80.0%, +3.0 points (+1.0 to +5.0)",)


def test_question_is_short_and_shows_both_and_the_interval() -> None:
    text = ask(SUMMARY)

    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert rows == [
        "|  | accuracy, 1,000 lines | 95% bounds |",
        "| --- | --- | --- |",
        "| candidate | **90.0%** | 88.0% to 91.7% |",
        "| opponent | 87.0% | – |",
        "| change | +3.0 points | +1.0 to +5.0 |",
    ]
    assert "- length: 5 to 8: 80.0%, −5.0 points on 100 lines" in text
    assert "Without an answer until tomorrow the champion stays." in text
    assert len(text.splitlines()) < 30


def test_question_about_a_first_champion_has_nothing_to_beat() -> None:
    text = ask(summary_of(replace(found(None), opponent="")))

    assert "It met nobody yet." in text
    assert "| opponent | – | – |" in text
    assert "| change | – | – |" in text


def test_a_name_is_no_markdown() -> None:
    text = ask(SUMMARY, reason="<b>*bold*</b>")

    assert "&#60;b&#62;&#42;bold&#42;" in text


def ask(summary: Summary, reason: str = "It reads better.") -> str:
    return render_question(
        summary,
        model="plates:v2",
        verdict="promote",
        reasons=[reason],
        report="/reports/plates.html",
        until="tomorrow",
    )
