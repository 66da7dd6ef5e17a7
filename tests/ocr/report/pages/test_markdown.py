from tests.ocr.evaluation.pages.scenes import read_receipt
from tests.ocr.report.page import ATTACK
from tests.ocr.report.pages.scenes import evaluate, evaluate_alike, hostile_report, markdown_of


def test_short_form_has_decision_metrics_rules_and_worst_pages() -> None:
    report = evaluate()

    markdown = markdown_of(report, title="receipts:9c41")

    assert markdown.startswith("# ✅ Promote: receipts:9c41")
    assert "| End-to-end Hmean | **90.0%**" in markdown
    assert "| Change of detection Hmean |" in markdown
    assert "| 1.jpg | 5 | 4 | 1 | 0 | 0 | 1 |" in markdown
    for table in markdown.split("\n\n"):
        if table.startswith("|"):
            assert len({row.count(" | ") for row in table.splitlines()}) == 1


def test_short_form_says_what_is_lost() -> None:
    report = evaluate(lambda number: read_receipt(number, wrong=number % 2, missed=1))

    markdown = markdown_of(report, title="receipts:9c41")

    assert "## What is lost" in markdown
    assert (
        "| Misread by one character: a line in its place; case and spaces aside | 6 | 6 | 88.9%"
        in markdown
    )
    assert "| Missed: labelled, and no line of its own was found | 12 | 0 | 90.0% |" in markdown
    assert "| False" not in markdown


def test_short_form_of_a_reader_without_errors_lists_no_losses() -> None:
    report = evaluate(read_receipt)

    assert "What is lost" not in markdown_of(report, title="x")


def test_undecided_short_form_says_how_many_pages_would_decide() -> None:
    report = evaluate_alike()

    assert "test pages would decide" in markdown_of(report, title="x")


def test_hostile_text_is_neither_markup_nor_markdown() -> None:
    report = hostile_report()

    markdown = markdown_of(report, title=ATTACK)

    assert "<script" not in markdown
