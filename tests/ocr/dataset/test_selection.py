import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from ocr.dataset.candidate import Candidate
from ocr.dataset.lines.label import LineLabel
from ocr.dataset.quarantine import TooManyRejected
from ocr.dataset.selection import Selection, select_samples
from ocr.dataset.snapshot.held_out import HeldOut
from ocr.dataset.split import Codes, Split, SplitRule, number
from ocr.dataset.spool import Spool
from ocr.errors import BadData
from tests.ocr.dataset.test_duplicates import candidate

RULE = SplitRule(val_share=0.2, test_share=0.2, seed=0)

Line = Candidate[LineLabel]


def by_text(lines: Sequence[Line]) -> Codes:
    """Near-duplicates: the lines of one text."""
    return number(line.row.label.text for line in lines)


def select(
    lines: Sequence[Line],
    folder: Path,
    *,
    given: Sequence[Split] = (),
    groups_part: bool = False,
    max_bad_share: float = 1,
    frozen: HeldOut | None = None,
) -> Selection[LineLabel]:
    return select_samples(
        lines,
        spool=Spool(folder),
        rule=RULE,
        given=given,
        max_bad_share=max_bad_share,
        cluster=by_text,
        groups_part=groups_part,
        frozen=frozen,
    )


def split_of_images(
    lines: Sequence[Line], folder: Path, *, groups_part: bool = False
) -> dict[str, Split]:
    selection = select(lines, folder, groups_part=groups_part)
    return {line.row.image: split for line, split in selection.accepted}


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


def invoices(count: int) -> list[Line]:
    """Documents with six printed words each, equal to the pixel, and four values of their own."""
    return [
        candidate(
            f"{at:x}" if at < 6 else f"{100 * document + at:x}",
            f"word {at}" if at < 6 else f"value {at} of {document}",
            number=100 * document + at,
            group=f"invoice {document}",
        )
        for document in range(1, count + 1)
        for at in range(10)
    ]


def splits_of_groups(selection: Selection[LineLabel]) -> dict[str, set[Split]]:
    found: dict[str, set[Split]] = {}
    for line, split in selection.accepted:
        found.setdefault(line.row.group, set()).add(split)
    return found


def test_printed_words_of_documents_join_no_splits_and_are_all_kept(tmp_path: Path) -> None:
    selection = select(invoices(20), tmp_path, groups_part=True, max_bad_share=0)

    splits = splits_of_groups(selection)
    assert len(selection.accepted) == 200
    assert all(len(each) == 1 for each in splits.values())
    assert set.union(*splits.values()) == {"train", "val", "test"}


def test_a_document_that_is_there_under_another_name_stays_in_the_split_of_its_copy(
    tmp_path: Path,
) -> None:
    lines = invoices(20)
    copies = [
        line._replace(
            row=line.row._replace(image=f"again/{at}.png", group=f"{line.row.group} again")
        )
        for at, line in enumerate(lines)
    ]

    selection = select([*lines, *copies], tmp_path, groups_part=True)

    splits = splits_of_groups(selection)
    assert len(selection.accepted) == 400
    assert all(splits[f"invoice {at}"] == splits[f"invoice {at} again"] for at in range(1, 21))


def test_a_copy_that_label_files_put_into_another_split_is_rejected(tmp_path: Path) -> None:
    tested, learnt, other = (invoices(each)[-10:] for each in (1, 1, 2))
    rows = [
        *(line._replace(row=line.row._replace(split="test")) for line in tested),
        *(line._replace(row=line.row._replace(group="again", image="a")) for line in learnt),
        *other,
        candidate("fff", "own", "val", number=999),
    ]

    selection = select(rows, tmp_path, given=("val", "test"), groups_part=True)

    assert {each.reason for each in selection.rejections} == {"near_image_in_two_splits"}
    assert splits_of_groups(selection) == {
        "invoice 1": {"test"},
        "invoice 2": {"train"},
        "": {"val"},
    }


def test_of_equal_lines_of_a_split_the_text_of_most_counts(tmp_path: Path) -> None:
    lines = [*invoices(20), candidate("0", "wrong", number=5000, group="invoice 3")]

    selection = select(lines, tmp_path, groups_part=True)

    (outvoted,) = selection.rejections
    assert (outvoted.reason, outvoted.text) == ("duplicate_with_other_text", "wrong")
    assert outvoted.detail.endswith("equal crops read 'word 0'")


def test_duplicates_without_groups_are_told_what_names_their_documents(tmp_path: Path) -> None:
    lines = [line._replace(row=line.row._replace(group="")) for line in invoices(20)]

    with pytest.raises(TooManyRejected, match=r"114 of 200 .*\n.*\nwhere .*dataset\.group_pattern"):
        select(lines, tmp_path, groups_part=True, max_bad_share=0.1)


def test_an_empty_split_is_explained_by_what_hangs_together(tmp_path: Path) -> None:
    lines = [line._replace(row=line.row._replace(group="all")) for line in invoices(3)]

    with pytest.raises(BadData, match=r"30 of 30 rows hang together") as refusal:
        select(lines, tmp_path, groups_part=True)

    settings = ("dataset.group_pattern", "group_column", "group_field")  # any may be the one
    assert all(setting in str(refusal.value) for setting in settings)
