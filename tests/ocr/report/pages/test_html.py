import pytest

from ocr.evaluation.pages.report import PagesReport
from ocr.report.lineage import Lineage
from ocr.report.pages.html import render_pages_html
from ocr.report.pages.losses import tabulate_losses
from tests.ocr.evaluation.pages.scenes import (
    ScriptedReader,
    draw,
    evaluate_scripted,
    label_pages,
    read_receipt,
    reading,
    receipt,
    region,
)
from tests.ocr.gate.scenes import judge_pages
from tests.ocr.report.page import ATTACK, Page
from tests.ocr.report.pages.scenes import (
    PAGES,
    evaluate,
    evaluate_alike,
    hostile_report,
    markdown_of,
)
from tests.serving.browser import running_chromium

CURVES = {
    "detector": [
        {"event": "step", "step": 1, "loss": 2.0},
        {"event": "validation", "step": 9, "hmean": 0.9, "precision": 0.8, "recall": 0.95},
    ],
    "recogniser": [{"event": "validation", "step": 9, "accuracy": 0.9, "ned": 0.95, "loss": 1.0}],
}


def render(report: PagesReport, *, gallery: int = 24, lineage: Lineage | None = None) -> str:
    decision = judge_pages(report)
    return render_pages_html(
        report,
        decision,
        images={page.id: draw(0) for page in report.pages},
        lineage=lineage or Lineage(model="receipts", version="v1"),
        parts=[
            Lineage(model="receipts-detector", version="d1", parameters={"training": {"size": 7}}),
            Lineage(model="receipts-recogniser", version="r1", dataset="datasets/crops/6b1f"),
        ],
        curves=CURVES,
        losses=tabulate_losses(report),
        suspects=[],
        gallery=gallery,
    )


@pytest.mark.parametrize("paired", [True, False])
def test_page_loads_and_runs_nothing(paired: bool) -> None:
    page = Page(render(evaluate(paired=paired)))

    assert not {"script", "link", "iframe", "object"} & set(page.tags)
    assert all(address.startswith(("data:image/jpeg;base64,", "#")) for address in page.addresses)
    assert page.handlers == []


def test_every_link_leads_to_a_part_of_the_page() -> None:
    page = Page(render(evaluate()))

    links = {address[1:] for address in page.addresses if address.startswith("#")}
    assert {
        "gate",
        "metrics",
        "slices",
        "losses",
        "pages",
        "confusions",
        "training",
        "lineage",
    } <= links
    assert links <= page.ids


def test_decision_comes_before_everything_else() -> None:
    html = render(evaluate())

    assert html.index("It reads better") < html.index('id="gate"') < html.index('id="metrics"')
    assert html.index('id="metrics"') < html.index('id="pages"') < html.index('id="lineage"')


def test_losses_of_both_stand_beside_each_other() -> None:
    with running_chromium() as chromium:
        page = chromium.new_page()
        page.set_content(render(evaluate()))
        rows = page.get_by_role("region", name="What is lost").get_by_role("row").all_inner_texts()

    assert rows[0].split() == ["Why", "Candidate", "Opponent"]
    misread, missed, false = (row.split("\t")[1:] for row in rows[2:])
    assert misread == ["6", "6", "100.0%", "36", "36", "80.0%"]
    assert missed[:2] == ["0", "0"]
    assert missed[3:5] == ["12", "0"]
    assert false[3:5] == ["0", "12"]


def test_what_passed_the_gate_is_in_sight_on_a_phone() -> None:
    with running_chromium() as chromium:
        page = chromium.new_page(viewport={"width": 390, "height": 800})
        page.set_content(render(evaluate()))

        pills = [pill.bounding_box() for pill in page.locator(".gate .pill").all()]

    assert pills
    assert all(pill is not None and pill["x"] + pill["width"] < 390 for pill in pills)


def test_both_models_stand_side_by_side_and_either_can_be_chosen() -> None:
    html = render(evaluate())

    assert html.count('type="radio"') == 2 * PAGES
    assert html.count(" checked>") == PAGES
    assert "2 of 5 read" not in html
    assert "1 of 5 read, 3 misread, 1 missed, 1 false" in html


def test_numbers_of_a_page_add_up_where_regions_have_no_text() -> None:
    regions = [region(10, 20, "AB"), region(10, 60, "CD"), region(10, 100, "")]
    report = evaluate_scripted(
        candidate=ScriptedReader("new", lambda number: reading((10, 20, "AX"))),
        opponent=None,
        samples=label_pages([regions]),
        resamples=10,
    )

    html = render(report)
    markdown = markdown_of(report, title="receipts")

    assert "0 of 2 read, 1 misread, 1 missed, 1 without a transcription missed" in html
    assert "| 2 | 0 | 1 | 1 | 0 |" in markdown


def test_what_is_filled_and_boxed_in_a_reading_is_explained() -> None:
    html = render(evaluate())

    assert "<mark>wrong</mark> characters filled" in html[: html.index('class="sheets"')]


@pytest.mark.parametrize("paired", [True, False])
def test_documents_of_the_test_are_counted_with_and_without_opponent(paired: bool) -> None:
    reader = ScriptedReader("a", read_receipt)
    report = evaluate_scripted(
        candidate=reader,
        opponent=reader if paired else None,
        samples=label_pages([receipt(n) for n in range(4)], groups=["a", "a", "b", ""]),
    )

    said = 'Test pages</dt><dd class="value">4</dd><dd class="note">3 documents'
    assert said in render(report)


def test_candidate_alone_needs_no_choice() -> None:
    html = render(evaluate(paired=False))

    assert 'type="radio"' not in html
    assert 'class="overlay of-opponent"' not in html


def test_errors_are_drawn_and_listed() -> None:
    html = render(evaluate(lambda number: read_receipt(number, wrong=1, missed=1, invented=1)))

    for kind in ("read", "misread", "missed", "invented"):
        assert f'<polygon class="{kind}"' in html
    assert "read “ITEM 0?”, should be “ITEM 0”, 0.90 sure" in html
    assert "missed: “THANK YOU COME AGAIN”" in html


@pytest.mark.parametrize("gallery", [0, 3])
def test_gallery_shows_no_more_than_asked(gallery: int) -> None:
    page = Page(render(evaluate(), gallery=gallery))

    assert page.tags.count("img") == gallery
    assert ("pages" in page.ids) == (gallery > 0)


def test_curves_and_lineage_of_both_trainings_are_shown() -> None:
    html = render(evaluate())

    for words in ("Detector", "Recogniser", "Hmean, recall, precision", "accuracy, 1-NED"):
        assert words in html
    for words in ("receipts-detector", "training.size", "datasets/crops/6b1f"):
        assert words in html


def test_report_without_errors_is_still_whole() -> None:
    page = Page(render(evaluate(read_receipt, paired=False)))

    assert "confusions" not in page.ids
    assert "pages" in page.ids


def test_hostile_labels_readings_and_names_stay_text() -> None:
    html = render(hostile_report(), lineage=Lineage(model=ATTACK, version=ATTACK))

    page = Page(html)
    assert "script" not in page.tags
    assert page.handlers == []
    assert "x" not in page.addresses
    assert "{{ 7 * 7 }}" in html


def test_undecided_report_says_how_many_pages_would_decide() -> None:
    assert "test pages would decide" in render(evaluate_alike())
