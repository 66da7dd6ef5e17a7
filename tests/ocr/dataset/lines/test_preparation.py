import os
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from ocr.dataset.inputs import RenderedSet
from ocr.dataset.lines.inspection import RenderedLine
from ocr.dataset.lines.labels import Columns, LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.errors import BadInput
from ocr.image.pixels import Image, encode_png
from ocr.models.charset import Charset
from ocr.store import Store, open_store
from tests.ocr.dataset.lines.preparing import (
    LIMITS,
    TEST,
    TRAIN,
    VAL,
    add,
    fetch,
    prepare,
    quarantine,
    recompressed,
    splits_of,
)
from tests.ocr.dataset.lines.test_bad_rows import PNG
from tests.ocr.dataset.rules import NEAR_BITS, SPLIT
from tests.ocr.image.pictures import draw_text, write_labels
from tests.shared_data import PLATES, needs_plates


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

    samples = list(fetch(store, made, tmp_path).samples())
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

    samples = list(fetch(store, made, tmp_path).samples())
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
    samples = list(fetch(store, made, tmp_path).samples())
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

    samples = list(fetch(store, made, tmp_path).samples())
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
    assert table["image"].to_pylist() == ["测.png"]  # as GBK has it


def test_placeholders_of_ppocrlabel_are_counted_and_no_fault(store: Store, root: Path) -> None:
    labels = root / "rec_train.txt"
    lines = labels.read_text("utf-8").splitlines()
    unread = [line.partition("\t")[0] + "\t待识别" for line in lines[:10]]
    labels.write_text("\n".join([*unread, *lines[10:]]) + "\n", "utf-8")

    made = prepare(store, root)

    assert [(each.reason, each.count) for each in made.quarantine] == [("missing_text", 10)]
    assert made.counts["quarantined"] == 10


@needs_plates
def test_real_plates_lose_nothing(store: Store) -> None:
    labels = LineLabelFiles("paddleocr", PLATES, "rec_train.txt", "rec_val.txt", "rec_test.txt")

    made = prepare(store, PLATES, labels=labels, charset=Charset.read(PLATES / "dict.txt"))

    assert (made.counts["train"], made.counts["val"], made.counts["test"]) == (600, 100, 100)
    assert made.quarantine == ()
