import numpy as np

from training.recognition.composition.vocabulary import Vocabulary


def draw_many(texts: list[str], *, count: int = 2000) -> list[tuple[int, str]]:
    shown = np.ones((len(texts), len(texts[0])), bool)
    rng, vocabulary = np.random.default_rng(0), Vocabulary(texts, shown)
    return [swap for _ in range(count) for swap in vocabulary.draw(rng, swap_share=0.6).items()]


def test_a_position_of_one_character_is_never_swapped() -> None:
    swaps = draw_many([f"K{digit}" for digit in range(10)])

    assert {position for position, _ in swaps} == {1}


def test_varied_positions_get_the_full_chance_and_skewed_ones_less() -> None:
    swaps = draw_many([("B" if n == 0 else "A") + str(n % 10) for n in range(100)])

    shares = [sum(position == k for position, _ in swaps) / 2000 for k in (0, 1)]
    assert abs(shares[0] - 0.2) < 0.04
    assert abs(shares[1] - 0.6) < 0.04


def test_rare_characters_are_drawn_more_often_than_seen() -> None:
    swaps = draw_many(["B" if n == 0 else "A" for n in range(1000)])

    share = np.mean([character == "B" for _, character in swaps])
    assert 0.05 < share < 0.2


def test_only_characters_seen_at_a_position_are_drawn_there() -> None:
    swaps = draw_many([f"{n % 4}{n % 10}" for n in range(39)])

    assert {character for position, character in swaps if position == 0} == set("0123")
    assert {character for position, character in swaps if position == 1} == set("0123456789")


def test_characters_that_nowhere_look_like_their_kind_are_not_drawn() -> None:
    is_legible = np.array([[text != "7"] for text in "0123456789" * 2])

    positions = Vocabulary(list("0123456789" * 2), is_legible).positions

    assert positions[0].characters == tuple("012345689")
