import hashlib
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from ocr.dataset.labels.text_rule import AS_WRITTEN, USUAL
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.lines.snapshot import LineSnapshot, open_line_snapshot
from ocr.dataset.snapshot.lookalikes import Lookalike
from ocr.dataset.snapshot.manifest import SnapshotManifest, Task
from ocr.dataset.snapshot.snapshot import MANIFEST
from ocr.errors import ArtifactNotFound, BadData
from ocr.image.pixels import decode_image
from ocr.store import open_store
from ocr.store.folder import download_folder
from tests.ocr.dataset.rules import LINE_LIMITS, NEAR_BITS, SPLIT
from tests.ocr.image.pictures import write_labels

ROWS = {f"images/{n:02}.png": f"{n:03}" for n in range(24)}


@pytest.fixture
def snapshot(tmp_path: Path) -> LineSnapshot:
    write_labels(tmp_path / "data", "rec_train.txt", ROWS)
    store = open_store(str(tmp_path / "store"))
    labels = LineLabelFiles("paddleocr", tmp_path / "data", "rec_train.txt")
    made = prepare_lines(
        store,
        name="d",
        labels=labels,
        limits=LINE_LIMITS,
        split=SPLIT,
        near_duplicate_bits=NEAR_BITS,
    )
    return open_line_snapshot(download_folder(store, prefix=made.key, folder=tmp_path / "copy"))


def test_images_come_back_byte_for_byte(snapshot: LineSnapshot, tmp_path: Path) -> None:
    rows = list(snapshot.samples())

    assert len(rows) == len(ROWS)
    for row in rows:
        data = snapshot.image_bytes(row)
        assert hashlib.sha256(data).hexdigest() == row.id
        assert data == (tmp_path / "data" / row.image).read_bytes()


def test_splits_share_no_sample_and_leave_none_out(snapshot: LineSnapshot) -> None:
    ids = [{line.id for line in snapshot.samples(split)} for split in ("train", "val", "test")]

    assert sum(len(each) for each in ids) == len(set.union(*ids)) == len(ROWS)
    assert all(ids)


def test_images_pairs_each_row_with_its_pixels(snapshot: LineSnapshot) -> None:
    for row, image in snapshot.images("test"):
        assert image.shape == (row.height, row.width, 3)
        data = snapshot.image_bytes(row)
        assert np.array_equal(image, decode_image(data, max_pixels=10**6))


def test_loaders_may_pickle_it(snapshot: LineSnapshot) -> None:
    copy = pickle.loads(pickle.dumps(snapshot))

    row = next(copy.samples("train"))
    assert copy.image_bytes(row) == snapshot.image_bytes(row)


def test_only_images_of_the_split_are_read_and_neighbours_at_once(snapshot: LineSnapshot) -> None:
    reads: list[int] = []

    def read(*, shard: str, offset: int, size: int) -> bytes:
        reads.append(size)
        return snapshot.read(shard=shard, offset=offset, size=size)

    images = dict(open_line_snapshot(snapshot.folder, read).images("test"))

    assert [line.split for line in images] == ["test"] * snapshot.manifest.counts["test"]
    assert len(reads) == 1
    assert sum(reads) < 2 * sum(line.size + 512 for line in images)


def test_image_that_is_another_is_named(snapshot: LineSnapshot) -> None:
    def read(*, shard: str, offset: int, size: int) -> bytes:
        return bytes(size)

    line = next(snapshot.samples("val"))

    with pytest.raises(
        BadData, match=f"00000.tar is damaged: it does not hold the image {line.id}"
    ):
        open_line_snapshot(snapshot.folder, read).image(line)


def test_columns_are_read_alone(snapshot: LineSnapshot) -> None:
    texts = [line.text for line in snapshot.samples("train")]

    assert list(snapshot.values("text", "train")) == texts


def test_manifest_reads_back_as_written(snapshot: LineSnapshot) -> None:
    data = (snapshot.folder / MANIFEST).read_bytes()

    assert SnapshotManifest.from_bytes(data) == snapshot.manifest
    assert snapshot.manifest.to_bytes() == data


def test_charset_is_that_of_the_texts(snapshot: LineSnapshot) -> None:
    assert set(snapshot.charset.characters) == set("".join(ROWS.values()))


def test_folder_without_a_manifest_is_no_snapshot(tmp_path: Path) -> None:
    with pytest.raises(ArtifactNotFound, match=r"holds no snapshot: no manifest\.json"):
        open_line_snapshot(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff", b'{"format": 99}'])
def test_damaged_manifest_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_bytes(content)

    with pytest.raises(BadData, match=r"manifest\.json"):
        open_line_snapshot(tmp_path)


def test_manifest_of_before_there_were_pages_is_one_of_lines(snapshot: LineSnapshot) -> None:
    content = json.loads((snapshot.folder / MANIFEST).read_bytes())
    del content["task"]

    read = SnapshotManifest.from_bytes(json.dumps(content).encode())

    assert read == snapshot.manifest
    assert read.task == "recognition"


def test_pages_and_lines_of_the_same_content_differ_in_digest() -> None:
    lines, pages = (
        SnapshotManifest.create(
            name="d", counts={}, quarantine=(), charset_size=1, files={}, task=task
        )
        for task in get_args(Task)
    )

    assert lines.digest != pages.digest


@pytest.mark.parametrize(
    ("task", "digest"),
    [
        ("recognition", "96015b2f4ec4abc24bec2132c2c9c901dcb64560c6b12a0c5d8815449016290e"),
        ("detection", "9041bb63ea594bab89de26f42c63871f860f98f8d96de89317bd726a998af72a"),
    ],
)
def test_what_an_earlier_manifest_said_keeps_its_digest(task: Task, digest: str) -> None:
    manifest = SnapshotManifest.create(
        name="d",
        counts={"rows": 1},
        quarantine=(),
        charset_size=1,
        files={"a": "b"},
        task=task,
        texts=AS_WRITTEN,
        lookalikes=[Lookalike("\u00a0", 1)],
    )

    assert manifest.digest == digest


@pytest.mark.parametrize("more", [{"texts": USUAL}, {"test_digest": "a"}])
def test_what_an_earlier_manifest_could_not_say_is_in_the_digest(more: Any) -> None:
    facts: Any = {"name": "d", "counts": {}, "quarantine": (), "charset_size": 1, "files": {}}
    earlier = facts | {"task": "recognition", "texts": AS_WRITTEN, "test_digest": ""}

    digests = {SnapshotManifest.create(**said).digest for said in (earlier, earlier | more)}

    assert len(digests) == 2


def test_manifest_of_before_there_was_a_rule_says_that_texts_are_as_written(
    snapshot: LineSnapshot,
) -> None:
    content = json.loads((snapshot.folder / MANIFEST).read_bytes())
    del content["texts"], content["lookalikes"]

    read = SnapshotManifest.from_bytes(json.dumps(content).encode())

    assert (snapshot.manifest.texts, read.texts) == (USUAL, AS_WRITTEN)


def test_preparing_and_reading_load_no_pandas(snapshot: LineSnapshot, tmp_path: Path) -> None:
    """It takes a second to load, of every process that only writes a table or reads one."""
    code = (
        "import sys; from pathlib import Path\n"
        "from ocr.dataset.lines.snapshot import open_line_snapshot as read\n"
        "from tests.ocr.dataset.lines.preparing import prepare\n"
        "from ocr.dataset.lines.labels import LineLabelFiles as Files\n"
        "from ocr.store import open_store\n"
        "files = Files('paddleocr', Path(sys.argv[1]), 'rec_train.txt')\n"
        "prepare(open_store(sys.argv[2]), files.root, labels=files)\n"
        "assert list(read(Path(sys.argv[3])).images('train'))\n"
        "sys.exit('pandas' in sys.modules)\n"
    )
    arguments = (tmp_path / "data", tmp_path / "other", snapshot.folder)

    run = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)

    assert run.returncode == 0, run.stderr
