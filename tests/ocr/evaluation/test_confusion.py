from ocr.evaluation.confusion import Confusion, align, count_confusions


def test_misreadings_are_counted_most_frequent_first() -> None:
    confusions = count_confusions(["O1", "OO", "12"], ["01", "00", "1"])

    assert confusions == [
        Confusion(expected="0", read="O", count=3),
        Confusion(expected="", read="2", count=1),
    ]


def test_missed_character_reads_as_nothing() -> None:
    assert list(align("皖A1", "皖A12")) == [("2", "")]


def test_only_the_most_frequent_are_kept() -> None:
    assert len(count_confusions(["abcdef"], ["ghijkl"], most=3)) == 3
