from ocr.evaluation.confusion import MOST, Confusion, align, count_confusions


def test_misreadings_are_counted_most_frequent_first() -> None:
    confusions = count_confusions(["O1", "OO", "12"], ["01", "00", "1"])

    assert confusions == [
        Confusion(expected="0", read="O", count=3),
        Confusion(expected="", read="2", count=1),
    ]


def test_missed_character_reads_as_nothing() -> None:
    assert list(align("皖A1", "皖A12")) == [("2", "")]


def test_only_the_most_frequent_are_kept() -> None:
    letters = [chr(ord("a") + place) for place in range(26)]
    read = [chr(ord("A") + place) for place in range(26)] + ["?"] * 26

    confusions = count_confusions([*read, "?"], [*letters, *letters, "z"])

    assert len(confusions) == MOST
    assert confusions[0] == Confusion(expected="z", read="?", count=2)
