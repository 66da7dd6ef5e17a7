"""Bundles with a text model: what they read, how sure they say they are, and what proves it."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ocr.errors import BadData, ParityFailed
from ocr.models.charset import Charset
from ocr.models.golden import decode_golden, prove_lines
from ocr.models.text_model import TextModel, count_ngrams
from ocr.reading.recognition.decoder import Decoder
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tests.toy_bundle import CHARACTERS, DOUBTFUL, draw, write_toy_bundle

TEXTS = ["BC"] * 20 + ["ABC", "CAB"]
LINES = [DOUBTFUL, "A B C", "CAB", DOUBTFUL + " A?", "?" * 6, " ", "B"]


@pytest.fixture
def counted(tmp_path: Path) -> OnnxRecogniser:
    return OnnxRecogniser.load(write_toy_bundle(tmp_path / "counted", texts=TEXTS))


@pytest.fixture
def plain(tmp_path: Path) -> OnnxRecogniser:
    return OnnxRecogniser.load(write_toy_bundle(tmp_path / "plain"))


def test_the_texts_decide_where_the_net_doubts(
    counted: OnnxRecogniser, plain: OnnxRecogniser
) -> None:
    images = [draw(line) for line in LINES]

    with_texts = [one.text for one in counted.recognise(images)]
    without = [one.text for one in plain.recognise(images)]

    assert (without[0], with_texts[0]) == ("AC", "BC")
    assert without[1:3] == with_texts[1:3] == ["ABC", "CAB"]


def test_an_unchanged_text_keeps_its_confidence_and_a_changed_one_has_little(
    counted: OnnxRecogniser, plain: OnnxRecogniser
) -> None:
    images = [draw(DOUBTFUL), draw("CAB")]

    (changed, same), (_, before) = counted.recognise(images), plain.recognise(images)

    assert same == before
    assert len(changed.character_confidences) == 2
    assert changed.character_confidences[0] < 0.5 < 0.99 < changed.character_confidences[1]
    assert changed.confidence == pytest.approx(np.mean(changed.character_confidences))


def test_company_and_threads_change_no_text(counted: OnnxRecogniser) -> None:
    images = [draw(line) for line in LINES]
    alone = [counted.recognise([image])[0].text for image in images]

    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda _: counted.recognise(images), range(30)))

    assert all([one.text for one in read] == alone for read in found)


def test_the_golden_texts_prove_that_the_text_model_is_used(
    counted: OnnxRecogniser, plain: OnnxRecogniser, tmp_path: Path
) -> None:
    def read(recogniser: OnnxRecogniser, images: list[bytes]) -> list[str]:
        return [one.text for one in recogniser.recognise([decode_golden(one) for one in images])]

    assert prove_lines(tmp_path / "counted", lambda images: read(counted, list(images))) == 3
    with pytest.raises(ParityFailed, match=r"002\.png reads 'AC' instead of 'BC'"):
        prove_lines(tmp_path / "counted", lambda images: read(plain, list(images)))


def test_a_damaged_text_model_is_refused(tmp_path: Path) -> None:
    bundle = write_toy_bundle(tmp_path, texts=TEXTS)
    (bundle / "texts.npz").write_bytes(b"")

    with pytest.raises(BadData, match=r"texts\.npz is damaged"):
        OnnxRecogniser.load(bundle)


def test_the_text_model_of_another_charset_is_refused() -> None:
    large = Charset((*CHARACTERS, "D", "E"))
    model = TextModel(*count_ngrams(["DE"], large), weight=0.5)

    with pytest.raises(BadData, match="does not fit a charset of 4 classes"):
        Decoder(Charset(CHARACTERS), model)


@pytest.mark.parametrize("numeral", [0, 4])
def test_the_numerals_of_another_charset_are_refused(numeral: int) -> None:
    ngrams, counts, _ = count_ngrams(TEXTS, Charset(CHARACTERS))
    model = TextModel(ngrams, counts, np.array([numeral], np.uint32), weight=0.5)

    with pytest.raises(BadData, match="does not fit a charset of 4 classes"):
        Decoder(Charset(CHARACTERS), model)


def test_a_memory_of_steps_that_is_full_changes_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    lines = rng.dirichlet(np.full(4, 0.4), size=(30, 20))
    model = TextModel(*count_ngrams(TEXTS, Charset(CHARACTERS)), weight=0.5)
    expected = [Decoder(Charset(CHARACTERS), model).decode(line).text for line in lines]

    monkeypatch.setattr("ocr.reading.recognition.text_states.MOST_STEPS", 3)
    decoder = Decoder(Charset(CHARACTERS), model)

    assert [decoder.decode(line).text for line in lines] == expected


def test_an_unknown_character_costs_as_much_as_the_net_is_sure_of_another() -> None:
    def cost(sureness: float, label: str) -> float:
        rest = (1 - sureness) / 2
        frames = np.array([[0.0, 1, 0, 0], [1, 0, 0, 0], [0, rest, sureness, rest]], np.float32)
        return -Decoder(Charset(CHARACTERS)).log_likelihood(frames, label)

    costs = [cost(sureness, "AX") for sureness in (0.6, 0.9, 0.999, 1)]

    assert costs == pytest.approx([-np.log(0.4), -np.log(0.1), -np.log(0.001), 20.7], abs=0.1)
    assert cost(0.999, "AX") > cost(0.999, "AB") + 5
    assert cost(0.999, "AC") > cost(0.999, "AX"), "the net itself contradicts more clearly"


def test_a_label_is_weighed_against_what_is_read(plain: OnnxRecogniser) -> None:
    labels = ["CAB", "CAC", "CXB", "CABCABCABCABCAB"]

    right, wrong, unread, too_long = plain.check([draw("CAB")] * 4, labels)

    assert (right.contradiction, right.reading.text) == (0.0, "CAB")
    assert wrong.contradiction == pytest.approx(wrong.doubt - right.doubt)
    assert wrong.contradiction > 10
    assert wrong.unknown == ""
    assert (unread.unknown, unread.reading.text) == ("X", "CAB")
    assert unread.contradiction > 5, "the net is sure of another character in its place"
    assert np.isfinite(too_long.doubt)
    assert too_long.doubt > wrong.doubt
