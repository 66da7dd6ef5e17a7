"""Candidates in columns: what goes in comes out, sorted, and little of it is memory."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil

from ocr.dataset.accepted import Accepted
from ocr.dataset.candidate import Candidate
from ocr.dataset.candidate_table import hex_ids
from ocr.dataset.collecting import collect
from ocr.dataset.lines.label import LineLabel
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import TEST, TRAIN
from ocr.dataset.spool import Spool
from tests.ocr.dataset.test_duplicates import candidate, codes

Line = Candidate[LineLabel]


def test_candidates_come_back_sorted_by_image_and_else_as_they_came(tmp_path: Path) -> None:
    first, second = candidate("b", "皖A", "test", number=1), candidate("0", "", number=2)
    third, bad = (
        candidate("b", "\udc80", number=3, group="page"),
        second.row.reject("illegible", ""),
    )

    found: list[Line | Rejection] = [first, bad, second, third]
    table, rejections = collect(found, spool=Spool(tmp_path))

    assert list(table) == table[:] == [second, first, third]
    assert table[-1] == third
    assert rejections == [bad]
    assert table.free.tolist() == [True, False, True]
    assert table.splits.tolist() == [TRAIN, TEST, TRAIN]
    assert table.column("image").tolist() == [0, 1, 1]
    assert len(set(table.groups.tolist())) == 3


def test_equal_labels_and_groups_have_equal_numbers(tmp_path: Path) -> None:
    lines = [candidate("a", "A", group="g"), candidate("b", "A", group="h"), candidate("c", "B")]
    lines.append(candidate("d", "B", group="g"))

    table, _ = collect(lines, spool=Spool(tmp_path))

    labels, groups = table.column("label").tolist(), table.groups.tolist()
    assert labels[0] == labels[1] != labels[2] == labels[3]
    assert groups[0] == groups[3]
    assert len(set(groups)) == 3


def test_accepted_candidates_go_by_split_and_can_be_left_out(tmp_path: Path) -> None:
    table, _ = collect([candidate(f"{n}", f"{n}") for n in range(5)], spool=Spool(tmp_path))
    splits = np.array([TEST, TRAIN, TEST, TRAIN, TRAIN], np.int8)
    accepted = Accepted(table, codes(*range(5)), splits)

    left = accepted.without(codes(1)).by_split()

    assert [(line.row.label.text, split) for line, split in left] == [
        ("3", "train"),
        ("4", "train"),
        ("0", "test"),
        ("2", "test"),
    ]


def test_nothing_good_is_an_empty_table(tmp_path: Path) -> None:
    found: list[Line | Rejection] = [Rejection("illegible", "", "", "", "")]

    table, rejections = collect(found, spool=Spool(tmp_path))

    assert (list(table), rejections) == ([], found)


def test_records_are_found_in_any_order(tmp_path: Path) -> None:
    count = 3000
    ids = list(_ids(count))
    table, _ = collect((candidate(id_, id_) for id_ in ids), spool=Spool(tmp_path))
    order = np.random.default_rng(0).permutation(count).astype(np.int32)

    assert [each.row.label.text for each in table] == sorted(ids)
    assert list(hex_ids(table.records(order))) == [sorted(ids)[at] for at in order.tolist()]
    assert table.column("image").tolist() == list(range(count))


def test_a_candidate_takes_few_bytes_of_memory(tmp_path: Path) -> None:
    count, process = 50_000, psutil.Process()
    before = process.memory_info().rss

    table, _ = collect(_many(count), spool=Spool(tmp_path))

    assert len(table) == count
    assert process.memory_info().rss - before < 200 * count  # as objects: 1,500


def _many(count: int) -> Iterator[Line]:
    return (candidate(id_, f"text {n}", number=n) for n, id_ in enumerate(_ids(count)))


def _ids(count: int) -> Iterator[str]:
    """Ids that look as random as digests do."""
    return (f"{n * 0x9E3779B97F4A7C15 % 2**64:016x}{n:048x}" for n in range(count))
