"""Several label files of one split, and shares of them."""

from pathlib import Path

import pytest

from ocr.dataset.labels.split_files import LabelShare
from ocr.dataset.lines.labels import Columns, LineLabelFiles
from ocr.dataset.lines.labels.files import LineLabelKind
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.errors import BadData, BadInput
from tests.ocr.dataset.roots.packing import write_lmdb

ROWS = [f"{number:04}.png\tT{number}\n" for number in range(1000)]


def images(root: Path, *more: LabelShare, seed: int = 0, train: str = "") -> list[str]:
    labels = LineLabelFiles("paddleocr", root, train, more=more, seed=seed)
    return [row.image for row in labels.read()]


def test_rows_of_all_files_are_read_with_their_splits(tmp_path: Path) -> None:
    for name in ("own", "more", "scans"):
        (tmp_path / name).write_text(f"{name}.png\tA\n")
    shares = (LabelShare("more"), LabelShare("scans", "test"))

    labels = LineLabelFiles("paddleocr", tmp_path, "own", more=shares)

    rows = [(row.image, getattr(row, "split", "")) for row in labels.read()]
    assert rows == [("own.png", None), ("more.png", None), ("scans.png", "test")]
    assert labels.given() == ("test",)
    assert labels.name_of("train") == "own, more"


@pytest.mark.parametrize(
    "again", [LabelShare("./more", ratio=0.5), LabelShare("more", checked=False)]
)
def test_file_that_is_named_twice_for_a_split_is_refused(tmp_path: Path, again: LabelShare) -> None:
    with pytest.raises(BadInput, match=rf"{again.name}' is named twice for train, .*one ratio"):
        PageLabelFiles("paddleocr", tmp_path, more=(LabelShare("more", ratio=0.5), again))
    with pytest.raises(BadInput, match="named twice for test"):
        LineLabelFiles("paddleocr", tmp_path, "a", test="more", more=(LabelShare("more", "test"),))

    LineLabelFiles("paddleocr", tmp_path, "more", more=(LabelShare("more", "test"),))


@pytest.mark.parametrize("ratio", [0.1, 0.5, 0.9])
def test_ratio_is_the_share_of_the_rows_that_counts(tmp_path: Path, ratio: float) -> None:
    (tmp_path / "more").write_text("".join(ROWS))

    found = images(tmp_path, LabelShare("more", ratio=ratio))

    assert abs(len(found) / len(ROWS) - ratio) < 0.05


def test_rows_that_join_a_file_or_change_their_place_move_no_other(tmp_path: Path) -> None:
    share = LabelShare("more", ratio=0.5)
    (tmp_path / "more").write_text("".join(ROWS[:500]))
    before = images(tmp_path, share)

    (tmp_path / "more").write_text("".join(reversed(ROWS)))

    after = images(tmp_path, share)
    assert {image for image in after if image < "0500"} == set(before)
    assert len(after) > len(before)


def test_larger_ratio_takes_the_rows_of_a_smaller_one_and_more(tmp_path: Path) -> None:
    (tmp_path / "more").write_text("".join(ROWS))

    small, large = (set(images(tmp_path, LabelShare("more", ratio=r))) for r in (0.2, 0.4))

    assert small < large


def test_another_seed_takes_other_rows(tmp_path: Path) -> None:
    (tmp_path / "more").write_text("".join(ROWS))
    share = LabelShare("more", ratio=0.5)

    assert images(tmp_path, share) != images(tmp_path, share, seed=1)
    assert images(tmp_path, LabelShare("more")) == images(tmp_path, LabelShare("more"), seed=1)


def test_bad_rows_count_in_the_same_share(tmp_path: Path) -> None:
    (tmp_path / "more").write_text("no delimiter\n" * 1000)

    assert 400 < len(images(tmp_path, LabelShare("more", ratio=0.5))) < 600


@pytest.mark.parametrize("content", ["", "\n \r\n"])
def test_file_that_adds_nothing_is_refused_by_name(tmp_path: Path, content: str) -> None:
    (tmp_path / "own").write_text("own.png\tA\n")
    (tmp_path / "corrected.txt").write_text(content)

    with pytest.raises(BadData, match=r"no rows in corrected\.txt, which more_labels names"):
        images(tmp_path, LabelShare("corrected.txt"), train="own")


def test_share_of_a_file_may_be_none_of_its_rows(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("own.png\tA\n")
    (tmp_path / "more").write_text("more.png\tA\n")

    assert images(tmp_path, LabelShare("more", ratio=1e-9), train="own") == ["own.png"]


def test_fingerprint_tells_shares_and_their_seeds_apart(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("".join(ROWS))

    def fingerprint(*more: LabelShare, seed: int = 0) -> str:
        return str(LineLabelFiles("paddleocr", tmp_path, more=more, seed=seed).fingerprint())

    half, other = LabelShare("own", "train", 0.5), LabelShare("own", "val", 0.5)
    found = [fingerprint(LabelShare("own", split)) for split in ("train", "val")]
    found += [fingerprint(half), fingerprint(half, seed=1), fingerprint(half, other)]
    assert len(set(found)) == len(found)
    assert fingerprint(LabelShare("own")) == fingerprint(LabelShare("own"), seed=1)


def test_pages_and_lmdb_files_have_shares_too(tmp_path: Path) -> None:
    (tmp_path / "det.txt").write_text("".join(f"{n}.png\t[]\n" for n in range(200)))
    write_lmdb(tmp_path / "words", {b"%d" % n: f"T{n}" for n in range(200)})
    pages = PageLabelFiles("paddleocr", tmp_path, more=(LabelShare("det.txt", ratio=0.5),))
    words = LineLabelFiles("lmdb", tmp_path, more=(LabelShare("words", ratio=0.5),))

    assert 60 < len(list(pages.read())) < 140
    assert 60 < len(list(words.read())) < 140


@pytest.mark.parametrize(
    ("kind", "columns"), [("folder", Columns()), ("table", Columns(split="fold"))]
)
def test_sources_without_files_of_splits_have_no_more(
    tmp_path: Path, kind: LineLabelKind, columns: Columns
) -> None:
    with pytest.raises(BadInput, match=r"more_labels needs|no other is read"):
        LineLabelFiles(kind, tmp_path, "a.csv", columns=columns, more=(LabelShare("b.csv"),))


def test_what_nobody_checked_stays_in_train(tmp_path: Path) -> None:
    for name in ("own", "read"):
        (tmp_path / name).write_text(f"{name}.png\tA\n")

    labels = LineLabelFiles("paddleocr", tmp_path, "own", more=(LabelShare("read", checked=False),))

    rows = [(row.image, getattr(row, "split", "")) for row in labels.read()]
    assert rows == [("own.png", None), ("read.png", "train")]
    checked = LineLabelFiles("paddleocr", tmp_path, "own", more=(LabelShare("read"),))
    assert labels.fingerprint() != checked.fingerprint()
