"""A test split that is frozen by its digest stays what it is, or says what changed."""

import time
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.snapshot.held_out import fetch_held_out
from ocr.dataset.snapshot.manifest import SnapshotManifest
from ocr.dataset.split import Split, SplitRule
from ocr.errors import BadData
from ocr.image.pixels import encode_png
from ocr.retention.plan import plan_removal
from ocr.retention.removal import remove_thing
from ocr.store import Store, open_store
from tests.ocr.dataset.lines.preparing import LIMITS, add, add_near_copy, fetch, quarantine
from tests.ocr.dataset.rules import NEAR_BITS, SPLIT
from tests.ocr.image.pictures import draw_text, write_labels

LABELS = "rec_train.txt"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "data", count=40)
    return tmp_path / "data"


def write(root: Path, *, count: int) -> None:
    write_labels(root, LABELS, {f"{n:02}.png": f"T{n:03}" for n in range(count)})


def prepare(
    store: Store, root: Path, *, frozen: str = "", test: str = "", rule: SplitRule = SPLIT
) -> SnapshotRef:
    return prepare_lines(
        store,
        name="d",
        labels=LineLabelFiles("paddleocr", root, LABELS, test=test),
        limits=LIMITS,
        split=rule,
        near_duplicate_bits=NEAR_BITS,
        frozen_test=frozen,
    )


def images(store: Store, made: SnapshotRef, folder: Path, split: Split = "test") -> list[str]:
    return sorted(line.image for line in fetch(store, made, folder).samples(split))


def test_frozen_split_stays_as_it_is_while_data_grows(
    store: Store, root: Path, tmp_path: Path
) -> None:
    made = prepare(store, root)
    write(root, count=120)

    grown, frozen = prepare(store, root), prepare(store, root, frozen=made.test_digest)

    assert frozen.test_digest == made.test_digest != grown.test_digest
    assert images(store, frozen, tmp_path) == images(store, made, tmp_path)
    assert frozen.counts["accepted"] == 120
    val = [set(images(store, each, tmp_path, "val")) for each in (made, frozen)]
    assert set() < val[0] < val[1]
    assert prepare(store, root, frozen=made.test_digest).cached


@pytest.mark.parametrize("share", [0, 0.05, 0.3])
def test_val_stays_whatever_share_is_asked_for_once_the_test_is_frozen(
    share: float, store: Store, root: Path, tmp_path: Path
) -> None:
    write(root, count=120)
    made = prepare(store, root)

    again = prepare(store, root, frozen=made.test_digest, rule=replace(SPLIT, test_share=share))

    val = [images(store, each, tmp_path, "val") for each in (made, again)]
    assert len(val[0]) > 5
    assert val[0] == val[1]


def test_val_stays_where_label_files_named_the_test_that_is_frozen(
    store: Store, root: Path, tmp_path: Path
) -> None:
    write(root, count=120)
    rows = (root / LABELS).read_text().splitlines(keepends=True)
    (root / LABELS).write_text("".join(rows[20:]))
    (root / "test.txt").write_text("".join(rows[:20]))
    made = prepare(store, root, test="test.txt")
    (root / LABELS).write_text("".join(rows))

    again = prepare(store, root, frozen=made.test_digest)

    assert again.test_digest == made.test_digest
    val = [images(store, each, tmp_path, "val") for each in (made, again)]
    assert len(val[0]) > 5
    assert val[0] == val[1]


@pytest.mark.parametrize("share", ["a tenth", "nan", "1.5"])
def test_a_share_that_is_none_is_named(share: str, store: Store, tmp_path: Path) -> None:
    columns = dict.fromkeys(("id", "label", "group", "image"), pa.array([], pa.string()))
    table = pa.table(columns).replace_schema_metadata({"test_share": share})
    pq.write_table(table, tmp_path / "0.parquet")
    store.put_file("datasets/d/tests/0.parquet", tmp_path / "0.parquet")

    with pytest.raises(BadData, match=rf"datasets/d/tests/0\.parquet: test_share is b'{share}'"):
        fetch_held_out(store, name="d", digest="0")


def test_manifest_names_the_test_split(store: Store, root: Path) -> None:
    made = prepare(store, root)

    manifest = SnapshotManifest.from_bytes(store.read_bytes(f"{made.key}/manifest.json"))

    assert manifest.test_digest == made.test_digest
    assert len(made.test_digest) == 64


def test_near_copy_of_a_frozen_sample_stays_out(store: Store, root: Path, tmp_path: Path) -> None:
    made = prepare(store, root)
    image = images(store, made, tmp_path)[0]
    add_near_copy(root, image, f"T{int(image[:2]):03}")

    again = prepare(store, root, frozen=made.test_digest)

    assert again.test_digest == made.test_digest
    assert quarantine(store, again)["reason"].to_pylist() == ["near_image_in_two_splits"]


def test_another_label_of_a_frozen_sample_is_quarantined_and_the_sample_stays(
    store: Store, root: Path, tmp_path: Path
) -> None:
    made = prepare(store, root)
    image = images(store, made, tmp_path)[0]
    (root / "copy.png").write_bytes((root / image).read_bytes())
    with (root / LABELS).open("a") as labels:
        labels.write(f"\ncopy.png\tNEW\n{image}\tNEWER\n")

    again = prepare(store, root, frozen=made.test_digest)

    assert again.test_digest == made.test_digest
    rejected = quarantine(store, again)
    assert rejected["reason"].to_pylist() == ["duplicate_with_other_text"] * 2
    assert sorted(rejected["text"].to_pylist()) == ["NEW", "NEWER"]


def test_changed_split_says_what_changed_and_is_taken_by_its_new_digest(
    store: Store, root: Path, tmp_path: Path
) -> None:
    made = prepare(store, root)
    gone, relabelled, *_ = images(store, made, tmp_path)
    rows = (root / LABELS).read_text().splitlines()
    rows = [row for row in rows if not row.startswith(gone)]
    rows = [f"{relabelled}\tNEW" if row.startswith(relabelled) else row for row in rows]
    (root / LABELS).write_text("\n".join(rows))

    with pytest.raises(BadData) as caught:
        prepare(store, root, frozen=made.test_digest)

    text = f"T{int(relabelled[:2]):03}"
    assert f"is not the frozen {made.test_digest} any more" in str(caught.value)
    assert f"1 removed (for example {gone})" in str(caught.value)
    assert f"1 labelled otherwise (for example {relabelled} '{text}' → 'NEW')" in str(caught.value)
    digest = str(caught.value).partition("split.frozen_test=")[2][:64]
    assert prepare(store, root, frozen=digest).test_digest == digest


def prepare_documents(store: Store, root: Path, count: int, *, frozen: str = "") -> SnapshotRef:
    """Prepare documents, each with a printed word that is the same in all and two of its own."""
    if count:
        texts = {
            f"{document:02}-{at}.png": "SUM" if at == 0 else f"{document:02} {at}"
            for document in range(count)
            for at in range(3)
        }
        write_labels(root, LABELS, texts)
    return prepare_lines(
        store,
        name="documents",
        labels=LineLabelFiles("paddleocr", root, LABELS, group_pattern=r"(\d+)-"),
        limits=LIMITS,
        split=SPLIT,
        near_duplicate_bits=NEAR_BITS,
        frozen_test=frozen,
    )


def test_frozen_documents_stay_while_others_with_equal_lines_join(
    store: Store, tmp_path: Path
) -> None:
    root = tmp_path / "documents"
    made = prepare_documents(store, root, 20)

    grown = prepare_documents(store, root, 60, frozen=made.test_digest)

    tested = images(store, grown, tmp_path)
    assert grown.test_digest == made.test_digest
    assert grown.counts["accepted"] == 180
    assert tested == images(store, made, tmp_path)
    assert [image for image in tested if image.endswith("-0.png")]


def test_one_of_several_equal_lines_that_is_gone_is_missed(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "documents"
    made = prepare_documents(store, root, 60)
    first, second, *_ = (name for name in images(store, made, tmp_path) if name.endswith("-0.png"))
    rows = (root / LABELS).read_text().splitlines()
    (root / LABELS).write_text("\n".join(row for row in rows if not row.startswith(first)))

    with pytest.raises(BadData, match=rf"any more: 1 removed \(for example {first}\); split"):
        prepare_documents(store, root, 0, frozen=made.test_digest)

    assert first != second


def test_frozen_split_outlives_its_snapshot(store: Store, root: Path) -> None:
    made = prepare(store, root)
    write(root, count=60)
    prepare(store, root)
    for verdict in plan_removal(store, before=time.time() + 3600):
        if verdict.may_go:
            remove_thing(store, verdict.thing, before=time.time() + 3600)

    assert not store.exists(f"{made.key}/manifest.json")
    assert prepare(store, root, frozen=made.test_digest).test_digest == made.test_digest
    (root / LABELS).write_text((root / LABELS).read_text().replace("T0", "X0"))
    with pytest.raises(BadData, match=r"labelled otherwise \(for example \d+\.png 'T0\d+' → 'X0"):
        prepare(store, root, frozen=made.test_digest)


def test_label_file_of_test_is_guarded_too(store: Store, root: Path) -> None:
    write_labels(root, "test.txt", {"x.png": "X", "y.png": "Y"})
    made = prepare(store, root, test="test.txt")
    write_labels(root, "test.txt", {"x.png": "X", "y.png": "Y", "z.png": "Z"})

    with pytest.raises(BadData, match=r"any more: 1 added \(for example z\.png\); split"):
        prepare(store, root, test="test.txt", frozen=made.test_digest)


def test_row_of_the_train_file_takes_no_part_in_a_frozen_label_file_of_test(
    store: Store, root: Path, tmp_path: Path
) -> None:
    write_labels(root, "test.txt", {"x.png": "X", "y.png": "Y"})
    made = prepare(store, root, test="test.txt")
    add(root, "x.png\tWRONG")

    again = prepare(store, root, test="test.txt", frozen=made.test_digest)

    assert images(store, again, tmp_path) == ["x.png", "y.png"]
    assert quarantine(store, again)["reason"].to_pylist() == ["duplicate_with_other_text"]
    (root / "test.txt").write_text("y.png\tY\n")
    with pytest.raises(BadData, match=r"any more: 1 removed \(for example x\.png\)"):
        prepare(store, root, test="test.txt", frozen=made.test_digest)


def test_split_of_which_nothing_is_left_is_named(store: Store, root: Path, tmp_path: Path) -> None:
    made = prepare(store, root)
    for image in images(store, made, tmp_path):
        (root / image).write_bytes(encode_png(draw_text(f"another {image}")))

    with pytest.raises(BadData, match=rf"none of 40 good rows .* test split {made.test_digest}"):
        prepare(store, root, frozen=made.test_digest)


def test_unknown_digest_names_those_there_are(store: Store, root: Path) -> None:
    with pytest.raises(BadData, match=r"no test split 0+ \(split\.frozen_test\), it has none"):
        prepare(store, root, frozen="0" * 64)
    made = prepare(store, root)

    with pytest.raises(BadData, match=rf"it has {made.test_digest}$"):
        prepare(store, root, frozen="0" * 64)
