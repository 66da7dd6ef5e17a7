import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.quarantine import Reason, TooManyRejected
from ocr.errors import BadData
from ocr.image.header import PNG_MAGIC
from ocr.image.pixels import encode_jpeg, encode_png
from ocr.models.charset import Charset
from ocr.store import Store
from tests.ocr.dataset.lines.preparing import (
    LIMITS,
    TEST,
    TRAIN,
    VAL,
    add,
    add_image,
    add_near_copy,
    prepare,
    quarantine,
)
from tests.ocr.image.pictures import draw_text


def bomb() -> bytes:
    body = b"IHDR" + struct.pack(">IIBBBBB", 50_000, 50_000, 8, 2, 0, 0, 0)
    return PNG_MAGIC + struct.pack(">I", 13) + body + struct.pack(">I", zlib.crc32(body))


PNG = encode_png(draw_text("X1"))


BAD_ROWS: list[tuple[str, Callable[[Path], None], Reason]] = [
    ("no tab", lambda r: add(r, "train/00.png T000"), "malformed_row"),
    ("no image", lambda r: add(r, "\tT000"), "malformed_row"),
    ("an extra tab", lambda r: add(r, "train/00.png\tT\t000"), "tab_in_text"),
    ("an absolute path", lambda r: add(r, "/etc/hostname\tA"), "outside_root"),
    ("a path out of the root", lambda r: add(r, "../store/x.png\tA"), "outside_root"),
    ("a missing image", lambda r: add(r, "gone.png\tA"), "missing_image"),
    ("a folder for an image", lambda r: add(r, "train\tA"), "unreadable_image"),
    ("an empty file", lambda r: add_image(r, b"", "A"), "unreadable_image"),
    ("a text for an image", lambda r: add_image(r, b"no image", "A"), "unreadable_image"),
    ("half an image", lambda r: add_image(r, PNG[:500], "A"), "truncated_image"),
    (
        "half a JPEG",
        lambda r: add_image(r, encode_jpeg(draw_text("X"))[:500], "A"),
        "truncated_image",
    ),
    ("a bomb", lambda r: add_image(r, bomb(), "A"), "decompression_bomb"),
    ("a sliver", lambda r: add_image(r, encode_png(draw_text("X", height=7)), "A"), "too_small"),
    ("no text", lambda r: add(r, "train/00.png\t"), "empty_text"),
    ("a text of spaces", lambda r: add(r, "train/00.png\t \u3000 "), "empty_text"),
    ("a mark of the illegible", lambda r: add(r, "train/00.png\t ### "), "illegible"),
    ("a long text", lambda r: add(r, "train/00.png\t" + "A" * 21), "text_too_long"),
    ("a control character", lambda r: add(r, "train/00.png\tA\x07"), "control_character"),
    ("a hidden character", lambda r: add(r, "train/00.png\tA\u200b"), "control_character"),
    ("a character of no charset", lambda r: add(r, "train/00.png\tA%"), "unknown_character"),
    ("the same row twice", lambda r: add(r, "train/00.png\tT000"), "duplicate"),
    ("an image of test", lambda r: add(r, "test/00.png\tE000"), "same_image_in_two_splits"),
    ("an image of val", lambda r: add(r, "val/00.png\tV000"), "same_image_in_two_splits"),
    (
        "an image of test, read otherwise",
        lambda r: add(r, "test/00.png\tT000"),
        "duplicate_with_other_text",
    ),
    (
        "an image nearly of test",
        lambda r: add_near_copy(r, "test/00.png", "E000"),
        "near_image_in_two_splits",
    ),
]


@pytest.mark.parametrize(
    ("spoil", "reason"), [c[1:] for c in BAD_ROWS], ids=[c[0] for c in BAD_ROWS]
)
def test_bad_row_is_quarantined_with_its_reason_and_nothing_else_is(
    spoil: Callable[[Path], None], reason: Reason, store: Store, root: Path, tmp_path: Path
) -> None:
    charset = Charset.from_texts([*TRAIN.values(), *VAL.values(), *TEST.values(), "A"])
    spoil(root)

    made = prepare(store, root, charset=charset)

    (found,) = made.quarantine
    assert (found.reason, found.count) == (reason, 1)
    assert found.examples[0].where == "rec_train.txt:21"
    assert made.counts == {
        "rows": 29,
        "accepted": 28,
        "quarantined": 1,
        "train": 20,
        "val": 4,
        "test": 4,
    }
    assert quarantine(store, made)["reason"].to_pylist() == [reason]


def test_two_texts_of_one_image_in_one_split_are_both_quarantined(store: Store, root: Path) -> None:
    add(root, "train/00.png\tOther")

    made = prepare(store, root)

    assert [(each.reason, each.count) for each in made.quarantine] == [
        ("duplicate_with_other_text", 2)
    ]
    assert made.counts["train"] == 19


def test_test_split_stays_whole_when_train_holds_it_all(store: Store, root: Path) -> None:
    add(root, *(f"{image}\t{text}" for image, text in {**TEST, **VAL}.items()))

    made = prepare(store, root)

    assert (made.counts["test"], made.counts["val"], made.counts["train"]) == (4, 4, 20)


def test_too_many_bad_rows_stop_the_run_with_the_table(store: Store, root: Path) -> None:
    add(root, "gone1.png\tA", "gone2.png\tB", "train/00.png\t")

    with pytest.raises(TooManyRejected, match=r"3 of 31 rows are bad \(9\.7%\)") as stop:
        prepare(store, root, limits=replace(LIMITS, max_bad_share=0.05))

    assert [(each.reason, each.count) for each in stop.value.reasons] == [
        ("missing_image", 2),
        ("empty_text", 1),
    ]
    assert "rec_train.txt:21" in str(stop.value)
    assert stop.value.exit_code == 3
    assert all(key.startswith("datasets/d/refused/") for key in store.list(""))


def test_stricter_share_stops_a_stored_snapshot_too(store: Store, root: Path) -> None:
    add(root, "gone1.png\tA")
    prepare(store, root)

    with pytest.raises(TooManyRejected):
        prepare(store, root, limits=replace(LIMITS, max_bad_share=0.01))


@pytest.mark.parametrize("name", ["rec_train.txt", "rec_val.txt", "rec_test.txt"])
def test_label_file_without_rows_is_named_before_any_image_is_read(
    name: str, store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / name).write_text("\n\n")
    monkeypatch.setattr("ocr.dataset.examination.decode_image", None)

    with pytest.raises(BadData, match=f"split is empty: no rows in {name}"):
        prepare(store, root)


def test_no_label_file_at_all_is_said(store: Store, root: Path) -> None:
    with pytest.raises(BadData, match="no rows in train_labels or more_labels: both name none"):
        prepare(store, root, labels=LineLabelFiles("paddleocr", root))


def test_labels_of_another_form_stop_with_the_table(store: Store, root: Path) -> None:
    (root / "rec_train.txt").write_text("train/00.png T000\ntrain/01.png T001\n")

    with pytest.raises(TooManyRejected, match=r"2 .*malformed_row.*expected image<TAB>text"):
        prepare(store, root, limits=replace(LIMITS, max_bad_share=0.1))


def test_split_whose_rows_are_all_bad_is_named(store: Store, root: Path) -> None:
    (root / "rec_val.txt").write_text("gone.png\tA\n")

    with pytest.raises(BadData, match="the val split is empty after 1 rows were rejected"):
        prepare(store, root)


def test_gbk_labels_are_refused_once_with_the_fix_and_read_with_it(
    store: Store, root: Path
) -> None:
    (root / "rec_val.txt").write_bytes("val/00.png\t皖A\nval/01.png\t京B\n".encode("gbk"))

    with pytest.raises(BadData, match=r"rec_val\.txt, line 1.*dataset\.encoding=gb18030"):
        prepare(store, root)
    files = LineLabelFiles(
        "paddleocr", root, "rec_train.txt", "rec_val.txt", "rec_test.txt", encoding="gb18030"
    )
    assert prepare(store, root, labels=files).counts["val"] == 2


def test_rows_that_nobody_could_read_do_not_stop_a_run(store: Store, root: Path) -> None:
    add(root, *(f"train/{number:02}.png\t###" for number in range(20)), "gone.png\tA")

    made = prepare(store, root, limits=replace(LIMITS, max_bad_share=0.03))

    assert [(each.reason, each.count) for each in made.quarantine] == [
        ("illegible", 20),
        ("missing_image", 1),
    ]
    assert (made.counts["accepted"], made.counts["quarantined"]) == (28, 21)
