import pytest

from ocr.dataset.quarantine import (
    REASONS,
    Reason,
    Rejection,
    TooManyRejected,
    check_bad_share,
    check_shares,
    count_reasons,
    list_reasons,
)


def reject(reason: Reason, number: int) -> Rejection:
    return Rejection(reason, f"rec.txt:{number}", f"{number}.jpg", "A", "why")


def test_reasons_are_counted_the_most_frequent_first_with_examples() -> None:
    rejections = [reject("empty_text", 1), *(reject("missing_image", n) for n in range(2, 9))]

    first, second = count_reasons(rejections)

    assert (first.reason, first.count, len(first.examples)) == ("missing_image", 7, 3)
    assert [example.where for example in first.examples] == ["rec.txt:2", "rec.txt:3", "rec.txt:4"]
    assert (second.reason, second.count) == ("empty_text", 1)


def test_what_is_shown_of_a_row_is_short_however_long_the_row_is() -> None:
    long = Rejection("missing_image", "a" * 9999, "b" * 9999, "c" * 9999, "d" * 9999)

    assert reject("missing_image", 1).describe() == "rec.txt:1 1.jpg 'A': why"
    assert len(long.describe()) < 1300
    assert len(list_reasons(count_reasons([long]))) < 1300


def test_every_reason_can_be_counted() -> None:
    assert len(count_reasons(reject(reason, 1) for reason in REASONS)) == len(REASONS)


@pytest.mark.parametrize(("rows", "allowed"), [(10, 0.1), (11, 0.1), (1, 1.0)])
def test_share_up_to_the_limit_is_allowed(rows: int, allowed: float) -> None:
    check_bad_share(count_reasons([reject("duplicate", 1)]), rows=rows, max_bad_share=allowed)


def test_share_above_the_limit_stops_with_count_share_limit_and_table() -> None:
    told = reject("illegible", 3)  # what is no fault is not in the sum, and so not in its table
    reasons = count_reasons([reject("duplicate", 1), reject("empty_text", 2), told])

    with pytest.raises(TooManyRejected) as stop:
        check_bad_share(reasons, rows=10, max_bad_share=0.1)

    message = str(stop.value)
    assert message.startswith("2 of 10 rows are bad (20.0%), limits.max_bad_share allows 10.0%:")
    assert "1  empty_text, e.g. rec.txt:2: why" in message
    assert "illegible" not in message
    assert stop.value.reasons == reasons


def test_what_nobody_has_checked_yet_is_no_row_to_hide_bad_ones_among() -> None:
    unchecked = [reject("unconfirmed_page", number) for number in range(6)]
    reasons = count_reasons([reject("duplicate", 9), *unchecked])

    with pytest.raises(TooManyRejected, match=r"1 of 4 rows are bad \(25.0%\)"):
        check_bad_share(reasons, rows=10, max_bad_share=0.2)


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("missing_image", "1 of 10 rows are bad"),
        ("self_crossing", "1 of 12 regions are bad"),
        ("missing_text", ""),
        ("unconfirmed_page", ""),
    ],
)
def test_rows_and_regions_have_shares_of_their_own(reason: Reason, said: str) -> None:
    reasons = count_reasons([reject(reason, 1)])
    counts = {"rows": 10, "regions": 12}

    if not said:
        check_shares(reasons, counts, max_bad_share=0.05)
        return
    with pytest.raises(TooManyRejected, match=said):
        check_shares(reasons, counts, max_bad_share=0.05)
