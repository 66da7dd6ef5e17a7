"""Equal crops that are labelled otherwise: most of them decide, and half are not most."""

from collections import Counter

import pytest

from ocr.dataset.documents.votes import object_to


@pytest.mark.parametrize(
    ("text", "votes", "objection"),
    [
        ("A", {"A": 1}, ""),
        ("A", {"A": 2, "B": 1}, ""),
        ("B", {"A": 2, "B": 1}, "2 of 3 equal crops read 'A'"),
        ("A", {"A": 1, "B": 1}, "1 of 2 equal crops read 'A', no text has most of them"),
        ("B", {"A": 2, "B": 1, "C": 1}, "2 of 4 equal crops read 'A', no text has most of them"),
    ],
)
def test_a_text_counts_where_more_than_half_of_equal_crops_read_it(
    text: str, votes: dict[str, int], objection: str
) -> None:
    assert object_to(text, Counter(votes)) == objection
