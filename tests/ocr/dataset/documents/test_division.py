"""Lines of documents and lines without one, divided: nothing that is held out is ever learnt."""

import random
from pathlib import Path

import pytest

from ocr.dataset.snapshot.held_out import HeldOut, HeldSample
from ocr.dataset.split import find_places
from tests.ocr.dataset.test_duplicates import candidate
from tests.ocr.dataset.test_selection import RULE, Line, select, split_of_images


def draw_document(draw: random.Random, number: int) -> list[Line]:
    """A document, or a line without one; either has printed words that others have too."""
    names = [f"page {number}"] * draw.randrange(2, 5) if draw.random() < 0.6 else [""]
    texts = [f"printed {draw.randrange(9)}" if draw.random() < 0.5 else "" for _ in names]
    images = [f"{draw.randrange(2000) if text else draw.getrandbits(60):064x}" for text in texts]
    return [
        candidate(image, text or f"own {image}", number=number * 10 + at, group=name)
        for at, (name, text, image) in enumerate(zip(names, texts, images, strict=True))
    ]


@pytest.mark.parametrize("seed", range(120))
def test_no_line_goes_from_test_to_train_when_documents_join(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    documents = [draw_document(draw, number) for number in range(1, 61)]
    some = [line for document in documents[:40] for line in document]
    every = [line for document in documents for line in document]
    draw.shuffle(every)

    before = split_of_images(some, tmp_path, groups_part=True)
    after = split_of_images(every, tmp_path, groups_part=True)

    was_in_test = [name for name, split in before.items() if split == "test"]
    assert was_in_test
    assert [name for name in was_in_test if after.get(name, "test") != "test"] == []


@pytest.mark.parametrize("seed", range(10))
def test_the_order_of_rows_decides_nothing(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    lines = [line for number in range(60) for line in draw_document(draw, number)]
    there = split_of_images(lines, tmp_path, groups_part=True)
    draw.shuffle(lines)

    assert split_of_images(lines, tmp_path, groups_part=True) == there


def is_in_test(key: str) -> bool:
    (place,) = find_places([key], 1, rule=RULE)
    return bool(place < RULE.test_share)


def beside_a_document_in_train(*texts: str) -> list[Line]:
    """Many lines, a document in train, and three lines of each text that it has as well."""
    page = next(
        name for name in map("page {}".format, range(99)) if not is_in_test(f"group:{name}")
    )
    document = [candidate(f"{n:064x}", t, number=n, group=page) for n, t in enumerate(texts, 900)]
    alone = [candidate(f"{n:064x}", f"own {n}", number=n) for n in range(1, 200)]
    strays = [
        candidate(f"{n:064x}", text, number=n)
        for at, text in enumerate(texts)
        for n in range(200 + 3 * at, 203 + 3 * at)
    ]
    return [*document, *alone, *strays]


def test_lines_that_were_in_test_are_left_out_where_their_document_is_in_train(
    tmp_path: Path,
) -> None:
    texts = [f"printed {number}" for number in range(12)]
    lines = beside_a_document_in_train(*texts)

    selection = select(lines, tmp_path, groups_part=True)

    strays = [line for line in lines if line.row.label.text in texts and not line.row.group]
    held = {line.row.label.text for line in strays if is_in_test(line.encoded.id)}
    splits = {line.row.image: split for line, split in selection.accepted}
    assert 0 < len(held) < len(texts)
    assert {each.image: each.reason for each in selection.rejections} == {
        each.row.image: "near_image_in_two_splits" for each in strays if each.row.label.text in held
    }
    left = {splits[each.row.image] for each in strays if each.row.image in splits}
    assert left == {splits["900.png"]} <= {"train", "val"}


def test_what_was_left_out_stays_out_once_test_is_frozen(tmp_path: Path) -> None:
    lines = beside_a_document_in_train(*(f"printed {number}" for number in range(12)))
    before = select(lines, tmp_path, groups_part=True)
    samples = [
        HeldSample(line.encoded.id, line.row.label.text, line.row.group, line.row.image)
        for line, split in before.accepted
        if split == "test"
    ]
    frozen = HeldOut(samples, RULE.test_share)

    after = select(lines, tmp_path, groups_part=True, frozen=frozen)

    assert [(each.image, each.reason) for each in after.rejections] == [
        (each.image, each.reason) for each in before.rejections
    ]
    assert [split for _, split in after.accepted] == [split for _, split in before.accepted]


def test_equal_lines_are_in_one_order_however_they_came(tmp_path: Path) -> None:
    lines = [
        candidate("abc", text, number=number, group=f"page {number % 3}")
        for number, text in enumerate("ABAABA")
    ]
    alone = [candidate(f"{n:064x}", f"own {n}", number=n) for n in range(100, 160)]
    orders = []
    for some in (lines, lines[::-1], lines[3:] + lines[:3]):
        found = select([*some, *alone], tmp_path, groups_part=True).accepted.by_split()
        orders.append([(line.row.image, split) for line, split in found])

    assert orders[0] == orders[1] == orders[2]


def test_a_line_of_a_document_in_test_and_of_one_given_for_val_is_in_test(tmp_path: Path) -> None:
    page = next(name for name in map("page {}".format, range(99)) if is_in_test(f"group:{name}"))
    documents = [
        candidate("abc", "printed", "val", number=900, group="given"),
        candidate("abd", "printed", number=901, group=page),
        candidate("bbc", "of the one", "val", number=903, group="given"),
        candidate("bbd", "of the other", number=904, group=page),
    ]
    alone = [candidate(f"{n:064x}", f"own {n}", number=n) for n in range(1, 200)]

    for few in (documents, documents[::-1]):
        stray = candidate("abe", "printed", number=902)
        selection = select([*few, *alone, stray], tmp_path, given=("val",), groups_part=True)

        splits = {line.row.image: split for line, split in selection.accepted}
        assert [splits[f"{n}.png"] for n in (900, 901, 902)] == ["val", "test", "test"]
