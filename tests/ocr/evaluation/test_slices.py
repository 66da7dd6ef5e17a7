import numpy as np
import pytest

from ocr.evaluation.slices import cut_names, script_of


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("皖A12", "Han + Latin"),
        ("0123", "no letters"),
        ("Straße", "Latin"),
        ("カナかな", "Kana"),
        ("Привет", "Cyrillic"),
        ("", "no letters"),
    ],
)
def test_script_is_named_by_its_letters(text: str, script: str) -> None:
    assert script_of(text) == script


def test_every_name_of_many_lines_is_a_part_and_the_rare_ones_are_one_together() -> None:
    names = [f"s{n:02}" for n in range(30) for _ in range(100)] + ["once", "twice", "twice"]

    parts = {name: int(mask.sum()) for _, name, mask in cut_names("source", names)}

    assert parts == {f"s{n:02}": 100 for n in range(30)} | {"2 rare ones together": 3}


def test_the_first_names_are_parts_however_rare_and_their_number_has_an_end() -> None:
    few = list(cut_names("source", ["a", "b", "b"]))
    many = list(cut_names("source", [f"s{n:03}" for n in range(300) for _ in range(20)]))

    assert [(name, int(mask.sum())) for _, name, mask in few[:2]] == [("b", 2), ("a", 1)]
    assert [name for _, name, _ in many[49:]] == ["s049", "250 rare ones together"]
    assert np.sum([mask for _, _, mask in many], axis=0).tolist() == [1] * 6000
