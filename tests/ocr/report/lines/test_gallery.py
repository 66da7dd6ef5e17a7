import pytest

from ocr.evaluation.lines.report import LinesReport
from ocr.report.lines.gallery import LineImage, build_line_gallery, choose_lines
from tests.ocr.evaluation.lines.scenes import ScriptedRecogniser, draw, evaluate_scripted, lines

TEXTS = [f"{number:04}" for number in range(30)]


def evaluate(*, lost: int, shared: int, gained: int) -> LinesReport:
    def ours(number: int) -> tuple[str, float]:
        is_wrong = number < lost + shared
        return (TEXTS[number][: 1 + number % 3], 0.9) if is_wrong else (TEXTS[number], 0.9)

    def theirs(number: int) -> tuple[str, float]:
        is_right = number < lost or number >= lost + shared + gained
        return (TEXTS[number], 0.8) if is_right else ("", 0.0)

    return evaluate_scripted(
        candidate=ScriptedRecogniser("new", ours),
        opponent=ScriptedRecogniser("old", theirs),
        samples=lines(TEXTS),
        resamples=200,
    )


@pytest.mark.parametrize(
    ("fates", "shown"),
    [
        ((10, 10, 10), (5, 3, 2)),
        ((10, 0, 0), (10, 0, 0)),
        ((0, 10, 10), (0, 3, 7)),
        ((1, 1, 10), (1, 1, 8)),
        ((2, 2, 2), (2, 2, 2)),
    ],
)
def test_room_goes_to_losses_first_and_none_is_wasted(
    fates: tuple[int, int, int], shown: tuple[int, int, int]
) -> None:
    report = evaluate(lost=fates[0], shared=fates[1], gained=fates[2])

    chosen = choose_lines(report, most=10)

    assert tuple(len(part) for part in chosen.values()) == shown


def test_farthest_off_comes_first() -> None:
    chosen = choose_lines(evaluate(lost=9, shared=0, gained=0), most=3)

    assert [line.candidate.text for line in chosen["lost"]] == ["0", "0", "0"]


def test_line_without_its_image_is_still_shown() -> None:
    report = evaluate(lost=2, shared=0, gained=0)
    known = report.lines[0].id
    image = LineImage(draw(0, TEXTS[0]), "scans/1.png")

    (section,) = build_line_gallery(report, {known: image}, most=10)

    sources = {item.line.id: item.src for item in section.lines}
    assert sources.pop(known).startswith("data:image/png;base64,")
    assert list(sources.values()) == [""]
    assert [item.name for item in section.lines] == ["scans/1.png", f"{1:064x}"[:12]]


def test_large_image_is_shrunk() -> None:
    report = evaluate(lost=1, shared=0, gained=0)
    large = draw(0, "x").repeat(20, axis=0).repeat(20, axis=1)

    (section,) = build_line_gallery(
        report, {report.lines[0].id: LineImage(large, "1.png")}, most=10
    )

    assert 0 < len(section.lines[0].src) < 100_000
