"""The search with a text model: exact where its beam is wide enough, and honest with numbers."""

from functools import reduce
from itertools import product
from math import prod

import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.models.charset import Charset
from ocr.models.text_model import TextModel, count_ngrams
from ocr.reading.recognition.beam import keep_frames, search
from ocr.reading.recognition.decoder import Decoder
from ocr.reading.recognition.text_states import TextStates

FRAMES = 6
LETTERS, DIGITS = Charset(("A", "B", "C")), Charset(("A", "1", "2"))
RECEIPT = Charset((*"0123456789", ".", "R", "M", "O", "T", "A", "L", " "))
INVOICE = Charset(tuple("人民币贰叁伍佰拾圆整"))


@pytest.mark.parametrize("charset", [LETTERS, DIGITS])
@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("least", [0.0, 0.05])
@pytest.mark.parametrize("seed", range(12))
def test_the_best_of_all_texts_is_found(
    charset: Charset, weight: float, least: float, seed: int
) -> None:
    rng = np.random.default_rng([seed, int(least > 0)])
    probabilities = rng.dirichlet(np.full(charset.size, 0.3), size=FRAMES)
    texts = ["".join(rng.choice(charset.characters, rng.integers(1, 6))) for _ in range(20)]
    states = TextStates(TextModel(*count_ngrams(texts, charset), weight=weight), charset)

    found = search(probabilities, states, least_probability=least, width=10**6)

    scores = score_all(np.where(probabilities >= least, probabilities, 0.0), states)
    assert scores[tuple(found)] == pytest.approx(max(scores.values()))


def score_all(
    probabilities: NDArray[np.float64], states: TextStates
) -> dict[tuple[int, ...], float]:
    """Every text that the frames may hold: the probability of all its paths times the model's."""
    scores: dict[tuple[int, ...], float] = {}
    for path in product(range(probabilities.shape[1]), repeat=len(probabilities)):
        probability = prod(probabilities[t, k] for t, k in enumerate(path))
        text = tuple(k for t, k in enumerate(path) if k and (t == 0 or path[t - 1] != k))
        scores[text] = scores.get(text, 0.0) + probability
    return {text: score * believe(text, states) for text, score in scores.items()}


def believe(text: tuple[int, ...], states: TextStates) -> float:
    def add(believed: tuple[float, int], k: int) -> tuple[float, int]:
        factor, state = states.step(believed[1], k)
        return believed[0] * factor, state

    factor, state = reduce(add, text, (1.0, states.after([])))
    return factor * states.end(state)


def receipt_states(weight: float) -> TextStates:
    seen = ["TOTAL RM 81.75"] * 500 + ["TOTAL 81.75", "RM 1000.00", "8175"] * 50
    return TextStates(TextModel(*count_ngrams(seen, RECEIPT), weight=weight), RECEIPT)


@pytest.mark.parametrize("seed", range(60))
def test_a_number_is_what_the_net_alone_reads(seed: int) -> None:
    rng = np.random.default_rng(seed)
    probabilities = doubtful_digits(rng, count=int(rng.integers(2, 8)))

    alone = search(probabilities, receipt_states(0.0))

    for weight in (0.3, 1.0, 4.0):
        assert search(probabilities, receipt_states(weight)) == alone


def doubtful_digits(rng: np.random.Generator, *, count: int) -> NDArray[np.float64]:
    """A number behind `RM `: of no frame is sure which digit it is, or whether a gap or a digit."""
    frames = [spread([place], [1.0]) for character in "RM " for place in (of(character), 0)]
    for _ in range(count):
        digits = rng.choice(np.arange(1, 11), 3, replace=False).tolist()
        frames.append(spread(digits, rng.dirichlet([3.0, 3.0, 3.0]).tolist()))
        frames.append(spread([0, digits[0]], [0.5 + rng.random() / 2, 0.2]))
    return np.array([frame / frame.sum() for frame in [*frames, spread([0], [1.0])]])


def of(character: str) -> int:
    return RECEIPT.encode(character)[0]


def spread(classes: list[int], probabilities: list[float]) -> NDArray[np.float64]:
    frame = np.full(RECEIPT.size, 1e-5)
    frame[classes] = probabilities
    return frame


def test_which_digit_begins_a_number_is_the_nets_to_say_too() -> None:
    states = receipt_states(1.0)
    factors = {states.step(states.after([of("M"), of(" ")]), digit)[0] for digit in range(1, 11)}

    assert len(factors) == 1


@pytest.mark.parametrize(("named", "amount"), [(True, "叁佰伍拾"), (False, "贰佰伍拾")])
def test_numbers_written_in_ideographs_are_the_nets_too_where_the_model_names_them(
    named: bool, amount: str
) -> None:
    probabilities = np.full((19, INVOICE.size), 1e-6)
    probabilities[::2, 0] = 1.0
    probabilities[range(1, 19, 2), INVOICE.encode("人民币叁佰伍拾圆整")] = 1.0
    probabilities[7, INVOICE.encode("叁贰")] = [0.9, 0.1]
    ngrams, counts, numerals = count_ngrams(["人民币贰佰伍拾圆整"] * 200, INVOICE)
    if not named:  # as a release before this one counted: each ideograph by itself
        line = [0, 0, 0, *INVOICE.encode("人民币贰佰伍拾圆整"), INVOICE.size]
        ngrams = np.array([line[at : at + 4] for at in range(10)], np.uint32)
        counts, numerals = np.full(10, 200, np.uint32), np.empty(0, np.uint32)

    read = Decoder(INVOICE, TextModel(ngrams, counts, numerals, weight=1.0)).decode(probabilities)

    assert read.text == f"人民币{amount}圆整"


def test_how_many_numerals_a_number_has_is_the_nets_to_say() -> None:
    text = "人民币叁佰圆整"
    probabilities = np.full((2 * len(text) + 1, INVOICE.size), 1e-6)
    probabilities[::2, 0] = 1.0
    probabilities[range(1, len(probabilities), 2), INVOICE.encode(text)] = 1.0
    probabilities[9, [*INVOICE.encode("佰"), 0]] = [0.6, 0.4]
    counted = TextModel(*count_ngrams(["人民币贰圆整"] * 200, INVOICE), weight=1.0)

    assert Decoder(INVOICE, counted).decode(probabilities).text == text


def test_a_letter_in_a_number_gives_way_to_the_digit_that_looks_like_it() -> None:
    zero_or_o = spread([of("O"), of("0")], [0.6, 0.4])
    frames = [spread([of(one), 0], [0.99, 0.001]) for one in "8.5"]
    gap = spread([0], [1.0])
    probabilities = np.array([frames[0], gap, zero_or_o, gap, frames[1], gap, frames[2], gap])

    read = Decoder(RECEIPT).decode(probabilities).text
    counted = TextModel(*count_ngrams(["80.5", "TOTAL 123.45"], RECEIPT), weight=0.5)

    assert read == "8O.5"
    assert Decoder(RECEIPT, counted).decode(probabilities).text == "80.5"


def test_a_line_of_no_doubt_is_read_greedily_whatever_the_texts_are() -> None:
    probabilities = np.array([spread([of(one)], [1.0]) for one in "TLO8A5"])

    found = search(probabilities, receipt_states(4.0))

    assert found == [of(one) for one in "TLO8A5"]


def test_a_very_long_line_of_doubts_is_read() -> None:
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet(np.full(RECEIPT.size, 0.2), size=800)

    assert len(search(probabilities, receipt_states(0.5))) > 100


def test_noise_is_read_greedily_and_asks_the_text_model_nothing() -> None:
    probabilities = np.random.default_rng(0).dirichlet(np.full(RECEIPT.size, 5.0), size=800)
    states = TextStates(TextModel(*count_ngrams(["TOTAL"], RECEIPT), weight=1.0), RECEIPT)
    asked = vars(states)["_steps"]

    found = search(probabilities, states)

    assert not any(asked)
    best = probabilities.argmax(axis=1)
    assert found == best[keep_frames(best)].tolist()
