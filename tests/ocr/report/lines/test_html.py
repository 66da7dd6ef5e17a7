import cv2
import pytest

from ocr.dataset.quarantine import ReasonCount, Rejection
from ocr.evaluation.lines.report import LinesReport
from ocr.report.lineage import Lineage
from ocr.report.lines.gallery import LineImage
from ocr.report.lines.html import render_lines_html
from tests.ocr.evaluation.lines.scenes import ScriptedRecogniser, draw, evaluate_scripted, lines
from tests.ocr.gate.scenes import judge_lines
from tests.ocr.report.page import ATTACK, Page

TEXTS = [f"{number:04}" for number in range(40)]


def evaluate(*, paired: bool = True, texts: list[str] = TEXTS) -> LinesReport:
    def answer(number: int) -> tuple[str, float]:
        return (texts[number] + "?", 0.6) if number % 5 == 0 else (texts[number], 0.9)

    opponent = ScriptedRecogniser("plates:old", lambda number: ("0001", 0.5)) if paired else None
    return evaluate_scripted(
        candidate=ScriptedRecogniser("plates:new", answer),
        opponent=opponent,
        samples=lines(texts),
        resamples=200,
    )


def render(report: LinesReport, **changes: object) -> str:
    decision = judge_lines(report)
    images = {line.id: LineImage(draw(0, "1"), f"{ATTACK}/{line.id}") for line in report.lines}
    arguments: dict[str, object] = {
        "images": images,
        "lineage": Lineage(model="m", version="v1"),
        "curves": [],
        "composition_png": b"",
        "suspects": [],
        "gallery": 60,
    }
    return render_lines_html(report, decision, **{**arguments, **changes})  # type: ignore[arg-type]


def test_page_loads_and_runs_nothing() -> None:
    page = Page(render(evaluate()))

    assert not {"script", "link", "iframe", "object"} & set(page.tags)
    assert all(address.startswith(("data:image/png;base64,", "#")) for address in page.addresses)
    assert page.handlers == []


def test_every_link_leads_to_a_part_of_the_page() -> None:
    page = Page(render(evaluate()))

    links = {address[1:] for address in page.addresses if address.startswith("#")}
    assert links
    assert links <= page.ids


def test_hostile_labels_readings_and_names_stay_text() -> None:
    report = evaluate(texts=[ATTACK + text for text in TEXTS])
    rejection = Rejection("malformed_row", ATTACK, ATTACK, ATTACK, ATTACK)
    lineage = Lineage(
        model=ATTACK,
        version=ATTACK,
        text_model=f"read with {ATTACK}",
        parameters={ATTACK: {"a": ATTACK}},
        quarantine=[ReasonCount("malformed_row", 1, (rejection,))],
    )

    html = render(report, lineage=lineage)

    page = Page(html)
    assert "script" not in page.tags
    assert page.handlers == []
    assert "x" not in page.addresses
    assert "{{ 7 * 7 }}" in html
    assert "read with " in html


def test_decision_comes_before_everything_else() -> None:
    html = render(evaluate())

    assert html.index("It reads better") < html.index('id="metrics"')
    assert html.index('id="gate"') < html.index('id="metrics"') < html.index('id="errors"')


def test_undecided_report_says_how_many_lines_would_decide() -> None:
    report = evaluate()
    same = evaluate_scripted(
        candidate=ScriptedRecogniser("a", lambda number: (TEXTS[number], 0.9)),
        opponent=ScriptedRecogniser("b", lambda number: (TEXTS[number], 0.9)),
        samples=lines(TEXTS),
        resamples=200,
    )

    assert "test lines would decide" in render(same)
    assert "test lines would decide" not in render(report)


def test_report_without_opponent_curves_or_errors_is_still_whole() -> None:
    perfect = evaluate_scripted(
        candidate=ScriptedRecogniser("a", lambda number: (TEXTS[number], 1.0)),
        opponent=None,
        samples=lines(TEXTS),
        resamples=200,
    )

    page = Page(render(perfect, images={}))

    assert "errors" not in page.ids
    assert "training" not in page.ids
    assert "calibration" in page.ids


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([f"page {number // 10}" for number in range(40)], "4 documents"),
        (["one page"] * 40, "1 document<"),
        (["page 1"] * 2 + [""] * 38, "39 documents"),
        ([""] * 40, "each a document of its own"),
    ],
)
@pytest.mark.parametrize("paired", [True, False])
def test_documents_of_the_test_are_counted_with_and_without_opponent(
    groups: list[str], said: str, paired: bool
) -> None:
    reader = ScriptedRecogniser("a", lambda number: (TEXTS[number], 1.0))
    report = evaluate_scripted(
        candidate=reader,
        opponent=reader if paired else None,
        samples=lines(TEXTS, groups=groups),
    )

    assert f'Test lines</dt><dd class="value">40</dd><dd class="note">{said}' in render(report)


def test_curves_composition_and_lineage_are_shown_when_given() -> None:
    curves = [
        {"event": "step", "step": step, "loss": 3.0 / (step + 1), "lr": 0.1} for step in range(50)
    ]
    curves += [{"event": "validation", "step": 49, "accuracy": 0.5, "ned": 0.7, "loss": 0.1}]
    lineage = Lineage(
        model="plates",
        version="9c41",
        parent="1f3a",
        code_commit="8ee4",
        dataset="datasets/plates/6b1f",
        dataset_digest="6b1f",
        splits={"train": 600, "test": 100},
        quarantine=[
            ReasonCount(
                "too_small",
                7,
                (Rejection("too_small", "a:1", "tiny.png", "x", "3 px, at least 8"),),
            )
        ],
        parameters={"training": {"epochs": 20}},
        environment={"device": "1 x gpu", "paddle": "3.3.1"},
    )

    html = render(
        evaluate(),
        curves=curves,
        composition_png=cv2.imencode(".png", draw(0, "1"))[1].tobytes(),
        lineage=lineage,
    )

    for words in ("Loss over training steps", "Composed crops", "training.epochs", "tiny.png"):
        assert words in html
    for words in ("8ee4", "1f3a", "datasets/plates/6b1f", "train 600", "3 px, at least 8"):
        assert words in html
    assert "Environment (2)" in html
    assert "1 x gpu" in html


def test_errors_name_their_images() -> None:
    report = evaluate(paired=False)
    wrong = report.lines[5]

    html = render(report, images={wrong.id: LineImage(draw(0, "1"), "scans/<5>.png")})

    assert '<dt>Image</dt><dd class="sure">scans/&lt;5&gt;.png</dd>' in html


@pytest.mark.parametrize("gallery", [0, 3])
def test_gallery_shows_no_more_than_asked(gallery: int) -> None:
    page = Page(render(evaluate(paired=False), gallery=gallery))

    assert page.tags.count("img") == gallery


def test_required_number_is_named_as_such() -> None:
    report = evaluate_scripted(
        candidate=ScriptedRecogniser("a", lambda number: (TEXTS[number], 1.0)),
        opponent=None,
        required_accuracy=0.5,
        samples=lines(TEXTS),
        resamples=200,
    )

    assert "against a required accuracy" in render(report)
