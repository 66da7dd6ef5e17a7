"""Suspected labels of a report: chosen among what was misread, with their pictures."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ocr.evaluation.suspects.suspect import LabelledCrop
from ocr.image.pixels import Image
from ocr.reading.recognition.recogniser import LabelCheck, OnnxRecogniser
from ocr.report.lineage import Lineage
from ocr.report.lines.html import render_lines_html
from ocr.report.pages.html import render_pages_html
from ocr.report.suspects import MOST, ShownSuspect, show_suspects
from tests.ocr.evaluation.lines.scenes import ScriptedRecogniser, evaluate_scripted, lines
from tests.ocr.gate.scenes import judge_lines, judge_pages
from tests.ocr.report.page import ATTACK, Page
from tests.ocr.report.pages.scenes import evaluate
from tests.toy_bundle import draw, write_toy_bundle

LABELS = {"a": ("CAB", "CAB"), "b": ("CAB", "CBC"), "c": ("ABA", "ABC"), "d": ("BAB", "CAC")}
"""Picture and label by id."""


@pytest.fixture
def reader(tmp_path: Path) -> OnnxRecogniser:
    return OnnxRecogniser.load(write_toy_bundle(tmp_path / "bundle"))


def crops(more: Sequence[str] = ()) -> Iterator[tuple[LabelledCrop, Image]]:
    every = LABELS | {str(number): ("ABA", label) for number, label in enumerate(more)}
    for name, (picture, label) in every.items():
        yield LabelledCrop(name, f"{name}.png", 0, "test", "test.txt", label), draw(picture)


def shown(reader: OnnxRecogniser) -> list[ShownSuspect]:
    misread: dict[tuple[str, int], str | None] = {("c", 0): "ABA", ("b", 0): None}
    return show_suspects(crops, reader, misread=misread)


def of_width() -> Iterator[tuple[LabelledCrop, Image]]:
    """A line whose label is right but for the width of a character."""
    yield LabelledCrop("w", "w.png", 0, "test", "test.txt", "CＡB"), draw("CAB")


def test_only_misread_lines_are_suspected_the_most_contradicted_first(
    reader: OnnxRecogniser,
) -> None:
    found = shown(reader)

    assert [(each.suspect.crop.id, each.suspect.read, each.opponent) for each in found] == [
        ("b", "CAB", None),
        ("c", "ABA", "ABA"),
    ]
    assert all(each.src.startswith("data:image/png;base64,") for each in found)


def test_a_label_that_the_net_thinks_right_is_no_suspect(reader: OnnxRecogniser) -> None:
    assert show_suspects(crops, reader, misread={("a", 0): None}) == []


def test_a_label_with_a_character_that_the_net_does_not_know_is_shown_and_the_character_named(
    reader: OnnxRecogniser,
) -> None:
    class Undecided:
        """Finds nothing more probable than the label, but does not know the character."""

        def check(self, images: Sequence[Image], labels: Sequence[str]) -> list[LabelCheck]:
            return [replace(each, contradiction=0.0) for each in reader.check(images, labels)]

    for who in (reader, Undecided()):
        (found,) = show_suspects(of_width, who, misread={("w", 0): None})

        assert (found.suspect.read, found.suspect.unknown_codes) == ("CAB", "U+FF21")


def test_there_are_not_too_many(reader: OnnxRecogniser) -> None:
    more = ["BCB"] * (MOST + 5)
    misread: dict[tuple[str, int], str | None] = {(str(at), 0): None for at in range(len(more))}

    assert len(show_suspects(lambda: crops(more), reader, misread=misread)) == MOST


def test_report_of_lines_shows_them_and_says_what_the_opponent_reads(
    reader: OnnxRecogniser,
) -> None:
    report = evaluate_scripted(
        candidate=ScriptedRecogniser("new", lambda number: (ATTACK, 0.9)),
        opponent=ScriptedRecogniser("old", lambda number: ("1", 0.9)),
        samples=lines(["1", "2"]),
        resamples=50,
    )

    html = render_lines_html(
        report,
        judge_lines(report),
        images={},
        lineage=Lineage(model="m", version="v1"),
        curves=[],
        composition_png=b"",
        suspects=[*shown(reader), *show_suspects(of_width, reader, misread={("w", 0): None})],
        gallery=0,
    )

    page = Page(html)
    assert report.misread() == {(line.id, 0): "1" for line in report.lines}
    assert "suspects" in page.ids
    assert html.index("b.png") < html.index("c.png")
    assert html.count("agrees") == 1
    assert html.count("Unknown to it") == html.count("U+FF21") == 1
    assert "script" not in page.tags


def test_report_of_pages_shows_them(reader: OnnxRecogniser) -> None:
    report = evaluate()

    html = render_pages_html(
        report,
        judge_pages(report),
        images={},
        lineage=Lineage(model="m", version="v1"),
        parts=[],
        curves={},
        losses=[],
        suspects=shown(reader),
        gallery=0,
    )

    misread = report.misread()
    assert "Suspected label errors" in html
    assert len(misread) == sum(
        len(page.texts()) - len(page.read(page.candidate)) for page in report.pages
    )
    assert all(region >= 1 for _, region in misread)
