import threading
from pathlib import Path

import lmdb
import pytest

from ocr.dataset.process_pool import ProcessPool
from ocr.dataset.roots import LmdbRoot
from ocr.dataset.roots.lmdb_root import DATA
from ocr.errors import BadData
from ocr.image.pixels import BadImage
from tests.ocr.dataset.roots.packing import write_lmdb

NAMES = [f"train/image-{number:09}" for number in (1, 2, 3)]


@pytest.fixture
def root(tmp_path: Path) -> LmdbRoot:
    write_lmdb(tmp_path / "train", {b"one": "1", b"two": "2", bytes(2 << 20): "3"})
    write_lmdb(tmp_path / "test", {b"other": "1"})
    return LmdbRoot(tmp_path)


def read_first(root: LmdbRoot) -> bytes:
    with root.images() as images:
        return images.read(NAMES[0], max_pixels=1)


def test_images_of_several_files_are_read_by_their_names(root: LmdbRoot) -> None:
    with root.images() as images:
        assert images.read(NAMES[1], max_pixels=1) == b"two"
        assert images.read("test/image-000000001", max_pixels=1) == b"other"
        assert images.exists(NAMES[0])
        assert not images.exists("train/image-000000009")


def test_absent_and_large_images_are_refused_with_their_reason(root: LmdbRoot) -> None:
    with root.images() as images:
        for name, reason in (("train/image-000000009", "missing_image"), (NAMES[2], "unreadable")):
            with pytest.raises(BadImage) as refusal:
                images.read(name, max_pixels=1)
            assert refusal.value.reason.startswith(reason)


def test_processes_are_forked_beside_a_thread_that_reads(root: LmdbRoot) -> None:
    found: list[bytes] = []
    reading = threading.Thread(target=lambda: found.extend(read_first(root) for _ in range(300)))
    reading.start()

    for _ in range(5):
        with ProcessPool(2) as pool:
            assert list(pool.map_in_order(read_first, [root] * 4)) == [b"one"] * 4
    reading.join()

    assert found == [b"one"] * 300


def test_threads_read_the_same_file_one_after_another(root: LmdbRoot) -> None:
    found: list[bytes] = []
    threads = [threading.Thread(target=lambda: found.append(read_first(root))) for _ in range(8)]

    with root.images() as images:
        for thread in threads:
            thread.start()
        assert images.read(NAMES[0], max_pixels=1) == b"one"
    for thread in threads:
        thread.join()

    assert found == [b"one"] * 8


def test_files_whose_values_were_replaced_and_removed_are_read(tmp_path: Path) -> None:
    long = {bytes([n]) * 30_000: str(n) for n in range(250)}
    short = {bytes([n]) * 3_000: str(n) for n in range(250)}
    write_lmdb(tmp_path / "train", long)
    write_lmdb(tmp_path / "train", short)
    with lmdb.open(str(tmp_path / "train")) as opened, opened.begin(write=True) as writing:
        writing.delete(b"image-000000250")

    with LmdbRoot(tmp_path).images() as images:
        assert images.read("train/image-000000008", max_pixels=1) == bytes([7]) * 3_000
        assert not images.exists("train/image-000000250")


def test_nothing_is_written(root: LmdbRoot) -> None:
    folder = root.path / "train"
    (folder / "lock.mdb").unlink()
    folder.chmod(0o555)
    before = (folder / DATA).read_bytes(), (folder / DATA).stat().st_mtime_ns

    read_first(root)

    assert ((folder / DATA).read_bytes(), (folder / DATA).stat().st_mtime_ns) == before
    assert [file.name for file in folder.iterdir()] == [DATA]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"not an LMDB file" * 1000,
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: data[:8192] + b"\xff" * 4096 + data[12288:],
    ],
    ids=["empty", "text", "cut", "cut by a byte", "overwritten"],
)
def test_damaged_files_are_one_error_with_the_fix(root: LmdbRoot, damage: object) -> None:
    file = root.path / "train" / DATA
    assert callable(damage)
    file.write_bytes(damage(file.read_bytes()))

    with pytest.raises(BadData, match="is damaged, or no LMDB file: ") as refusal:
        read_first(root)

    assert str(file) in str(refusal.value)
