import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from ocr.dataset.candidate import Candidate
from ocr.dataset.lines.label import LineLabel
from ocr.dataset.selection import Selection, select_samples
from ocr.dataset.split import Codes, Split, SplitRule, number
from ocr.dataset.spool import Spool
from tests.ocr.dataset.test_duplicates import candidate

RULE = SplitRule(val_share=0.2, test_share=0.2, seed=0)

Line = Candidate[LineLabel]


def by_text(lines: Sequence[Line]) -> Codes:
    """Near-duplicates: the lines of one text."""
    return number(line.row.label.text for line in lines)


def select(
    lines: Sequence[Line], folder: Path, *, given: Sequence[Split] = ()
) -> Selection[LineLabel]:
    return select_samples(
        lines, spool=Spool(folder), rule=RULE, given=given, max_bad_share=1, cluster=by_text
    )


def split_of_images(lines: Sequence[Line], folder: Path) -> dict[str, Split]:
    selection = select(lines, folder)
    return {line.encoded.id: split for line, split in selection.accepted}


def draw_line(draw: random.Random, number: int) -> Line:
    """An image, now and then one that is there already, in a cluster or a group or neither."""
    image = f"{draw.randrange(200):064x}"
    text = f"copy {draw.randrange(30)}" if draw.random() < 0.5 else f"own {image}"
    group = f"page {draw.randrange(30)}" if draw.random() < 0.4 else ""
    return candidate(image, text, number=number, group=group)


@pytest.mark.parametrize("seed", range(40))
def test_no_sample_leaves_the_test_split_when_others_join(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    lines = [draw_line(draw, number) for number in range(120)]
    draw.shuffle(lines)

    before = split_of_images(lines[:60], tmp_path)
    after = split_of_images(lines, tmp_path)

    assert "test" in before.values()
    was_in_test = [image for image, split in before.items() if split == "test"]
    moved = [image for image in was_in_test if after.get(image, "test") != "test"]
    assert moved == []


@pytest.mark.parametrize("seed", range(10))
def test_copies_and_groups_lie_in_one_split(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    lines = [draw_line(draw, number) for number in range(120)]

    found = select(lines, tmp_path).accepted

    for name in ("group", "label"):
        places: dict[object, set[Split]] = {}
        for line, split in found:
            places.setdefault(getattr(line.row, name) or line.encoded.id, set()).add(split)
        assert all(len(splits) == 1 for splits in places.values())


def test_group_that_label_files_put_into_two_splits_stays_in_the_most_protected_one(
    tmp_path: Path,
) -> None:
    lines = [
        candidate("a", "A", "test", number=1, group="page 1"),
        candidate("b", "B", number=2, group="page 1"),
        candidate("c", "C", "val", number=3, group="page 2"),
        candidate("d", "D", number=4, group="page 3"),
    ]

    found = select(lines, tmp_path, given=("val", "test"))

    assert [line.row.image for line, _ in found.accepted] == ["1.png", "3.png", "4.png"]
    (leak,) = found.rejections
    assert (leak.reason, leak.image) == ("group_in_two_splits", "2.png")
    assert leak.detail == "of the group 'page 1', as test 1.png"
