"""Which groups are copies of each other, and whose a row is."""

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.dataset.documents.groups import COPY_SHARE, find_owners, join_copies, part
from ocr.dataset.split import Codes


def codes(*numbers: int) -> Codes:
    return np.array(numbers, np.int32)


def joined(*documents: set[int]) -> list[int]:
    """The sets of documents, given the clusters of the lines of each."""
    groups = [at for at, lines in enumerate(documents) for _ in lines]
    clusters = codes(*(line for lines in documents for line in lines))
    return [int(each) for each in join_copies(clusters, codes(*groups))]


def test_a_document_under_another_name_is_a_copy_though_one_line_of_ten_differs() -> None:
    first, printed = set(range(20)), set(range(12))

    assert joined(first, first) == [0, 0]
    assert joined(first, first - {3} | {99}, printed | {50, 51}) == [0, 0, 2]


def test_printed_words_alone_make_no_copies() -> None:
    forms = [set(range(15)) | {100 + number, 200 + number} for number in range(30)]

    assert joined(*forms) == list(range(30))
    assert joined(set(range(3)), *forms) == list(range(31)), "a part is no copy"


@pytest.mark.parametrize("seed", range(20))
def test_all_copies_are_found_that_comparing_every_pair_finds(seed: int) -> None:
    draw = random.Random(seed)
    documents = [
        set(draw.sample(range(14), draw.randrange(1, 14))) | {100 + at % 9} for at in range(60)
    ]
    documents.append(set(documents[7]))
    expected = list(range(len(documents)))
    for left, one in enumerate(documents):
        for right, other in enumerate(documents[:left]):
            if len(one & other) >= COPY_SHARE * max(len(one), len(other)):
                lower, upper = sorted((expected[left], expected[right]))
                expected = [lower if each == upper else each for each in expected]

    assert joined(*documents) == expected
    assert len(set(expected)) < len(documents)


def as_they_stand(rows: Codes) -> NDArray[np.float64]:
    return rows.astype(np.float64)


def test_equal_numbers_of_different_owners_become_different_and_a_stray_row_has_one_owner() -> None:
    clusters = codes(0, 0, 2, 3, 0, 5)
    groups = codes(7, 8, 7, 8, 4, 5)
    is_grouped = np.array([True, True, True, True, False, False])

    owners, follows = find_owners(clusters, groups, is_grouped, nearness=as_they_stand)
    parted = part(clusters, owners)

    assert owners[0] == owners[2] == owners[4] != owners[1] == owners[3]
    assert parted[0] == parted[4] != parted[1]
    assert len(set(parted.tolist())) == 5
    assert follows.tolist() == [False] * 4 + [True, False]


def test_a_stray_row_is_of_the_group_that_is_nearest_to_test_whatever_their_order() -> None:
    clusters, groups = codes(0, 0, 0, 0), codes(1, 2, 3, 4)
    is_grouped = np.array([True, True, True, False])

    for places in ([0.3, 0.1, 0.2], [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]):
        near = np.array(places)
        owners, _ = find_owners(clusters, groups, is_grouped, nearness=near.__getitem__)
        assert owners[3] == owners[np.argmin(near)]


def test_without_groups_nothing_is_parted() -> None:
    clusters, nobody = codes(0, 0, 2, 0), np.zeros(4, bool)

    owners, follows = find_owners(clusters, codes(0, 1, 2, 3), nobody, nearness=as_they_stand)
    parted = part(clusters, owners)

    assert (parted[0] == parted).tolist() == [True, True, False, True]
    assert not follows.any()
    none, _ = find_owners(codes(), codes(), np.zeros(0, bool), nearness=as_they_stand)
    assert len(none) == 0
