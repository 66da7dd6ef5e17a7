import io
import os
import random
import struct
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ocr.dataset.inputs import RenderedSet
from ocr.dataset.lines.inspection import RenderedLine
from ocr.dataset.lines.labels import Columns, LineLabelFiles
from ocr.dataset.lines.limits import LineLimits
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.lines.snapshot import LineSample, LineSnapshot, open_line_snapshot
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.quarantine import Reason, TooManyRejected
from ocr.dataset.snapshot.snapshot import QUARANTINE
from ocr.dataset.split import Split
from ocr.errors import BadData, BadInput
from ocr.image.header import PNG_MAGIC
from ocr.image.pixels import Image, encode_jpeg, encode_png
from ocr.models.charset import Charset
from ocr.store import Store, open_store
from ocr.store.folder import download_folder
from tests.ocr.dataset.rules import LINE_LIMITS, NEAR_BITS, SPLIT
from tests.ocr.image.pictures import draw_text, write_labels
from tests.shared_data import PLATES, needs_plates

TRAIN = {f"train/{n:02}.png": f"T{n:03}" for n in range(20)}
VAL = {f"val/{n:02}.png": f"V{n:03}" for n in range(4)}
TEST = {f"test/{n:02}.png": f"E{n:03}" for n in range(4)}
LIMITS = replace(LINE_LIMITS, max_text_length=20, max_bad_share=0.5)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    write_labels(folder, "rec_train.txt", TRAIN)
    write_labels(folder, "rec_val.txt", VAL)
    write_labels(folder, "rec_test.txt", TEST)
    return folder


def prepare(
    store: Store,
    root: Path,
    *,
    limits: LineLimits = LIMITS,
    charset: Charset | None = None,
    labels: LineLabelFiles | None = None,
) -> SnapshotRef:
    files = labels or LineLabelFiles(
        "paddleocr", root, "rec_train.txt", "rec_val.txt", "rec_test.txt"
    )
    return prepare_lines(
        store,
        name="d",
        labels=files,
        limits=limits,
        split=SPLIT,
        near_duplicate_bits=NEAR_BITS,
        charset=charset,
    )


def fetch(store: Store, made: SnapshotRef, folder: Path) -> LineSnapshot:
    return open_line_snapshot(download_folder(store, prefix=made.key, folder=folder / made.digest))


def quarantine(store: Store, made: SnapshotRef) -> pa.Table:
    return pq.read_table(io.BytesIO(store.read_bytes(f"{made.key}/{QUARANTINE}")))


def splits_of(samples: Iterable[LineSample], name: Literal["text", "group"]) -> list[set[Split]]:
    """The splits that the samples of one text, or of one group, lie in."""
    found: dict[str, set[Split]] = {}
    for sample in samples:
        found.setdefault(getattr(sample, name), set()).add(sample.split)
    return list(found.values())


def add(root: Path, *lines: str, name: str = "rec_train.txt") -> None:
    with (root / name).open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def add_image(root: Path, data: bytes, text: str) -> None:
    (root / "bad.png").write_bytes(data)
    add(root, f"bad.png\t{text}")


def bomb() -> bytes:
    body = b"IHDR" + struct.pack(">IIBBBBB", 50_000, 50_000, 8, 2, 0, 0, 0)
    return PNG_MAGIC + struct.pack(">I", 13) + body + struct.pack(">I", zlib.crc32(body))


def recompressed(image: Image) -> bytes:
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 80])[1].tobytes()


def add_near_copy(root: Path, image: str, text: str) -> None:
    found = cv2.imread(str(root / image))
    assert found is not None
    (root / "near.jpg").write_bytes(recompressed(np.asarray(found, np.uint8)))
    add(root, f"near.jpg\t{text}")


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
    assert list(store.list("")) == []


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


def test_same_inputs_give_the_same_digest_in_another_place_and_store(
    store: Store, root: Path, tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere/data"
    names = [*TRAIN, *VAL, *TEST]
    random.Random(0).shuffle(names)
    for name in names:  # other order on disk, other times
        (other / name).parent.mkdir(parents=True, exist_ok=True)
        (other / name).write_bytes((root / name).read_bytes())
        os.utime(other / name, (1, 1))
    for name in ("rec_train.txt", "rec_val.txt", "rec_test.txt"):
        (other / name).write_bytes((root / name).read_bytes())

    made = prepare(store, root)
    again = prepare(open_store(str(tmp_path / "store2")), other)

    assert made.digest == again.digest
    assert not again.cached


def test_order_of_rows_does_not_change_the_digest(store: Store, root: Path) -> None:
    made = prepare(store, root)

    rows = (root / "rec_train.txt").read_text().splitlines()
    (root / "rec_train.txt").write_text("".join(f"{row}\n" for row in rows[::-1]))

    assert prepare(store, root).digest == made.digest


def test_every_file_of_two_runs_is_the_same_to_the_byte(
    store: Store, root: Path, tmp_path: Path
) -> None:
    add(root, "gone.png\tA", "train/00.png\tT000")
    other = open_store(str(tmp_path / "store2"))

    made, again = prepare(store, root), prepare(other, root)

    keys = list(store.list(made.key))
    assert keys == list(other.list(again.key))
    assert len(keys) == 5
    assert all(store.read_bytes(key) == other.read_bytes(key) for key in keys)


def test_second_run_opens_no_image(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(root, "gone.png\tA")
    made = prepare(store, root)
    monkeypatch.setattr("ocr.dataset.examination.decode_image", None)
    monkeypatch.setattr("ocr.image.folder.ImageFolder.read", None)

    again = prepare(store, root)

    assert again.cached
    assert replace(again, cached=False) == made


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "train/00.png").write_bytes(encode_png(draw_text("T000", seed=9))),
        lambda root: (root / "train/00.png").unlink(),
        lambda root: add(root, "gone.png\tA"),
    ],
    ids=["another image", "a removed image", "another row"],
)
def test_changed_inputs_give_another_snapshot(
    change: Callable[[Path], object], store: Store, root: Path
) -> None:
    made = prepare(store, root)

    change(root)
    again = prepare(store, root)

    assert not again.cached
    assert again.digest != made.digest


def test_touched_image_is_read_again_but_gives_the_same_snapshot(store: Store, root: Path) -> None:
    made = prepare(store, root)

    os.utime(root / "train/00.png", (1, 1))
    again = prepare(store, root)

    assert not again.cached
    assert again.digest == made.digest


def test_lost_snapshot_is_made_again(tmp_path: Path, store: Store, root: Path) -> None:
    made = prepare(store, root)
    (tmp_path / "store" / made.key / "manifest.json").unlink()

    again = prepare(store, root)

    assert (again.cached, again.digest) == (False, made.digest)


def test_near_copies_share_a_split_where_the_line_splits(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "data"
    write_labels(root, "rec_train.txt", {f"{n:02}.png": f"T{n:03}" for n in range(40)})
    for number in range(40):
        found = cv2.imread(str(root / f"{number:02}.png"))
        assert found is not None
        (root / f"{number:02}.jpg").write_bytes(recompressed(np.asarray(found, np.uint8)))
        add(root, f"{number:02}.jpg\tT{number:03}")

    made = prepare(store, root, labels=LineLabelFiles("paddleocr", root, "rec_train.txt"))

    samples = fetch(store, made, tmp_path).samples()
    assert made.counts["accepted"] == 80
    assert all(len(splits) == 1 for splits in splits_of(samples, "text"))
    assert {sample.split for sample in samples} == {"train", "val", "test"}


def test_groups_of_a_table_share_a_split(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "data"
    rows = {f"{n:02}.png": f"T{n:03}" for n in range(60)}
    write_labels(root, "unused.txt", rows)
    lines = "".join(
        f"{image},{text},page{at // 6}\n" for at, (image, text) in enumerate(rows.items())
    )
    (root / "t.csv").write_text("image,text,page\n" + lines)

    labels = LineLabelFiles("table", root, "t.csv", columns=Columns(group="page"))
    made = prepare(store, root, labels=labels)

    samples = fetch(store, made, tmp_path).samples()
    assert made.counts["accepted"] == 60
    assert [len(splits) for splits in splits_of(samples, "group")] == [1] * 10


def test_folder_of_named_images_is_prepared(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "data"
    root.mkdir()
    for number in range(12):
        (root / f"T{number}.png").write_bytes(encode_png(draw_text(f"T{number}")))
        (root / f"T{number}_2.png").write_bytes(encode_png(draw_text(f"T{number}", seed=1)))

    made = prepare(store, root, labels=LineLabelFiles("folder", root))

    assert made.counts["accepted"] == 24
    samples = fetch(store, made, tmp_path).samples()
    assert {sample.text for sample in samples} == {f"T{n}" for n in range(12)}


@dataclass(frozen=True)
class Line:
    image: Image
    text: str
    source: str = "synthesis"


def rendered(count: int) -> RenderedSet[RenderedLine]:
    lines = (Line(draw_text(f"S{n}", seed=n), f"S{n}") for n in range(count))
    return RenderedSet[RenderedLine](lines, count=count, fingerprint=f"{count}")


def test_rendered_lines_alone_are_split(store: Store) -> None:
    made = prepare_lines(
        store,
        name="d",
        labels=None,
        limits=LIMITS,
        split=SPLIT,
        near_duplicate_bits=NEAR_BITS,
        rendered=rendered(40),
    )

    assert made.counts["accepted"] == 40
    assert made.counts["val"] > 0
    assert made.counts["test"] > 0


def test_rendered_lines_beside_real_ones_join_train_only(
    store: Store, root: Path, tmp_path: Path
) -> None:
    labels = LineLabelFiles("paddleocr", root, "rec_train.txt")
    made = prepare_lines(
        store,
        name="d",
        labels=labels,
        limits=LIMITS,
        split=SPLIT,
        near_duplicate_bits=NEAR_BITS,
        rendered=rendered(30),
    )

    samples = fetch(store, made, tmp_path).samples()
    assert {line.split for line in samples if line.source == "synthesis"} == {"train"}
    assert {line.split for line in samples} == {"train", "val", "test"}


def test_rendered_lines_are_not_rendered_twice(store: Store) -> None:
    for expected in (False, True):
        lines = replace(rendered(20), items=iter(())) if expected else rendered(20)
        made = prepare_lines(
            store,
            name="d",
            labels=None,
            limits=LIMITS,
            split=SPLIT,
            near_duplicate_bits=NEAR_BITS,
            rendered=lines,
        )
        assert made.cached == expected


def test_nothing_to_prepare_is_wrong_usage(store: Store) -> None:
    with pytest.raises(BadInput, match="nothing to prepare"):
        prepare_lines(
            store, name="d", labels=None, limits=LIMITS, split=SPLIT, near_duplicate_bits=NEAR_BITS
        )


def test_file_name_that_is_no_utf8_is_kept_readable(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "data"
    root.mkdir()
    for number in range(20):
        (root / f"T{number}.png").write_bytes(encode_png(draw_text(f"T{number}")))
    (Path(os.fsdecode(os.fsencode(root) + b"/\xb2\xe2.png"))).write_bytes(PNG)

    made = prepare(store, root, labels=LineLabelFiles("folder", root))

    table = quarantine(store, made)
    assert table["reason"].to_pylist() == ["control_character"]
    assert table["image"][0].as_py().isascii()


@needs_plates
def test_real_plates_lose_nothing(store: Store) -> None:
    labels = LineLabelFiles("paddleocr", PLATES, "rec_train.txt", "rec_val.txt", "rec_test.txt")

    made = prepare(store, PLATES, labels=labels, charset=Charset.read(PLATES / "dict.txt"))

    assert (made.counts["train"], made.counts["val"], made.counts["test"]) == (600, 100, 100)
    assert made.quarantine == ()
