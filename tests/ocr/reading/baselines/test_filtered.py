from ocr.reading.baselines import FilteredRecogniser
from tests.ocr.evaluation.lines.scenes import ScriptedRecogniser, draw


def test_characters_the_labels_never_use_are_dropped() -> None:
    shelf = ScriptedRecogniser(name="shelf", answer=lambda number: ("皖A·12 345", 0.9))

    recogniser = FilteredRecogniser(shelf, characters="皖A12345")

    assert recogniser.recognise([draw(0, "")])[0].text == "皖A12345"
    assert recogniser.name == "shelf, characters of the labels only"
