import pytest

from ocr.dataset.pages.region import Region
from ocr.evaluation.pages.counts import count_page, fold, is_read
from ocr.evaluation.pages.matching import match_page
from ocr.models.page_line import PageLine
from tests.ocr.evaluation.pages.scenes import box, region


def found(y: float, text: str) -> PageLine:
    return PageLine(polygon=box(0, y), text=text, confidence=1.0)


def count(regions: list[Region], lines: list[PageLine]) -> dict[str, float]:
    match = match_page(regions, [line.polygon for line in lines])
    return vars(count_page(regions, lines, match))


@pytest.mark.parametrize(
    ("reading", "read", "exactly"),
    [("Total 5", 1, 1), ("TOTAL5", 1, 0), ("tot al5", 1, 0), ("Total 6", 0, 0), ("", 0, 0)],
)
def test_case_and_spaces_count_only_in_the_exact_form(
    reading: str, read: int, exactly: int
) -> None:
    counts = count([region(0, 0, "Total 5")], [found(0, reading)])

    assert (counts["read"], counts["read_exactly"]) == (read, exactly)


def test_right_text_in_the_wrong_place_is_not_read() -> None:
    counts = count([region(0, 0, "A")], [found(100, "A")])

    assert (counts["read"], counts["texts"], counts["readings"], counts["compared"]) == (0, 1, 1, 0)


def test_similarity_is_that_of_pairs_without_case_and_spaces() -> None:
    counts = count([region(0, 0, "AB CD"), region(0, 50, "X")], [found(0, "abcE"), found(50, "x")])

    assert counts["similarity"] == pytest.approx(3 / 4 + 1)
    assert counts["compared"] == 2


def test_region_without_transcription_counts_where_text_is_found_only() -> None:
    counts = count([region(0, 0, ""), region(0, 50, "B")], [found(0, "A"), found(50, "B")])

    assert (counts["truths"], counts["boxes"], counts["pairs"]) == (2, 2, 2)
    assert (counts["texts"], counts["readings"], counts["compared"], counts["read"]) == (1, 1, 1, 1)


def test_missed_region_without_transcription_is_no_text() -> None:
    counts = count([region(0, 0, "")], [])

    assert (counts["truths"], counts["texts"], counts["readings"]) == (1, 0, 0)


def test_ignored_region_and_the_box_in_it_count_nowhere() -> None:
    counts = count([region(0, 0, "A", ignored=True)], [found(0, "A")])

    assert not any(counts.values())


def test_folding_takes_case_and_every_white_space_away() -> None:
    assert fold(" Straße\u3000\u00a05 ") == "strasse5"
    assert is_read("A B", "ab")
    assert not is_read("A-B", "AB")
