import numpy as np

from training.recognition.composition.vocabulary import Vocabulary

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
ALL = set(LETTERS + "0123456789")


def draw_many(vocabulary: Vocabulary, *, count: int = 2000) -> list[tuple[int, str]]:
    rng = np.random.default_rng(0)
    return [swap for _ in range(count) for swap in vocabulary.draw(rng, swap_share=0.6)]


def learn(texts: list[str], available: set[str] = ALL) -> Vocabulary:
    return Vocabulary(texts, [available] * len(texts[0]))


def test_a_position_of_one_character_is_never_swapped() -> None:
    vocabulary = learn([f"K{digit}" for digit in range(10)])

    assert {position for position, _ in draw_many(vocabulary)} == {1}


def test_varied_positions_get_the_full_chance_and_skewed_ones_less() -> None:
    texts = [("B" if n == 0 else "A") + str(n % 10) for n in range(100)]

    swaps = draw_many(learn(texts))

    shares = [sum(position == k for position, _ in swaps) / 2000 for k in (0, 1)]
    assert abs(shares[0] - 0.2) < 0.04
    assert abs(shares[1] - 0.6) < 0.04


def test_rare_characters_are_drawn_more_often_than_seen() -> None:
    texts = ["B" if n == 0 else "A" for n in range(1000)]

    swaps = draw_many(learn(texts))

    share = np.mean([character == "B" for _, character in swaps])
    assert 0.05 < share < 0.2


def test_characters_of_kindred_positions_are_shared() -> None:
    rng = np.random.default_rng(0)
    columns = [rng.choice(list(LETTERS), 200) for _ in range(3)]
    columns[0][columns[0] == "Q"] = "A"
    columns[0][columns[0] == "Z"] = "B"
    columns[0][0], columns[0][columns[0] == "X"] = "X", "C"
    columns[0][0] = "X"
    texts = ["".join(row) for row in zip(*columns, strict=True)]

    drawn = {character for position, character in draw_many(learn(texts)) if position == 0}

    assert {"Q", "Z"} <= drawn


def test_positions_of_other_kinds_are_kept_apart() -> None:
    rng = np.random.default_rng(0)
    texts = [
        "".join([*rng.choice(list(LETTERS), 2), *map(str, rng.integers(0, 10, 2))])
        for _ in range(60)
    ]

    swaps = draw_many(learn(texts))

    assert all(character.isalpha() for position, character in swaps if position < 2)
    assert all(character.isdigit() for position, character in swaps if position >= 2)


def test_few_characters_are_a_rule_and_not_a_sample() -> None:
    texts = [f"{n % 4}{n % 10}" for n in range(39)]

    swaps = draw_many(learn(texts))

    assert {character for position, character in swaps if position == 0} == set("0123")


def test_only_characters_that_can_be_painted_are_drawn() -> None:
    texts = [str(n % 10) for n in range(50)]

    swaps = draw_many(learn(texts, available=set("123")))

    assert {character for _, character in swaps} == set("123")


def test_a_text_is_rare_where_others_agree() -> None:
    vocabulary = learn([("B" if n == 0 else "A") + str(n % 10) for n in range(100)])

    assert vocabulary.is_rare("B3")
    assert not vocabulary.is_rare("A3")
