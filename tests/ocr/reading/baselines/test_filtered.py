from dataclasses import replace

import pytest

from ocr.dataset.labels.text_rule import TextRule
from ocr.image.pixels import Image
from ocr.models.page_line import PageLine
from ocr.reading.baselines import FilteredRecogniser, RewrittenPages, WrittenAsLabels
from ocr.reading.page_reader import PageReading
from tests.ocr.evaluation.lines.scenes import ScriptedRecogniser, draw


def test_characters_the_labels_never_use_are_dropped() -> None:
    shelf = ScriptedRecogniser(name="shelf", answer=lambda number: ("皖A·12 345", 0.9))

    recogniser = FilteredRecogniser(shelf, WrittenAsLabels("皖A12345"))

    assert recogniser.recognise([draw(0, "")])[0].text == "皖A12345"
    assert recogniser.name == "shelf, characters of the labels only"


def test_a_letter_becomes_the_case_that_the_labels_use() -> None:
    shelf = ScriptedRecogniser(name="shelf", answer=lambda number: ("Total kg Straße", 0.9))

    recogniser = FilteredRecogniser(shelf, WrittenAsLabels("TOALkgSR "))

    assert recogniser.recognise([draw(0, "")])[0].text == "TOTAL kg STRA"


@pytest.mark.parametrize("read", ["Total · 5", "Total 5 €", "€ Total 5", "Total 5"])
def test_a_dropped_character_leaves_no_space_that_labels_never_have(read: str) -> None:
    assert WrittenAsLabels("Total 5", TextRule().apply)(read) == "Total 5"


def test_answers_are_rewritten_as_the_labels_are_before_they_are_filtered() -> None:
    shelf = ScriptedRecogniser(name="shelf", answer=lambda number: ("合计，Ａ", 0.9))

    write = WrittenAsLabels("合计,A", TextRule("NFKC").apply)
    recogniser = FilteredRecogniser(shelf, write)

    assert recogniser.recognise([draw(0, "")])[0].text == "合计,A"


def test_pages_are_rewritten_as_the_labels_are() -> None:
    line = PageLine(((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0)), "合计，Ａ", 0.9)

    class Shelf:
        name = "shelf"

        def read(self, image: Image) -> PageReading:
            return PageReading((line, replace(line, text="\u3000")), 0, {})

    reader = RewrittenPages(Shelf(), rewrite=TextRule("NFKC").apply)

    assert reader.read(draw(0, "")).lines == (replace(line, text="合计,A"),)
    assert reader.name == "shelf"
