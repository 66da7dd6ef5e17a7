import hashlib
import tarfile
from pathlib import Path

from ocr.shards import ShardWriter, read_shard


def write(folder: Path, files: dict[str, bytes], *, shard_bytes: int = 1 << 20) -> ShardWriter:
    with ShardWriter(folder, shard_bytes=shard_bytes) as writer:
        for name, data in files.items():
            place = writer.add(name, data)
            assert place.size == len(data)
    return writer


def test_any_tar_unpacks_a_shard(tmp_path: Path) -> None:
    files = {"a.png": b"first", "b.jpg": bytes(512), "c.jpg": b""}

    write(tmp_path, files)

    with tarfile.open(tmp_path / "shards/00000.tar") as tar:
        read = {member.name: tar.extractfile(member) for member in tar}
        assert {name: file.read() for name, file in read.items() if file} == files


def test_places_read_without_the_tar(tmp_path: Path) -> None:
    with ShardWriter(tmp_path) as writer:
        writer.add("a", b"first")
        place = writer.add("b", b"second")

    found = read_shard(tmp_path, shard=place.shard, offset=place.offset, size=place.size)

    assert found == b"second"


def test_same_files_give_the_same_bytes_and_digests(tmp_path: Path) -> None:
    files = {"a": b"1", "b": b"22"}

    first = write(tmp_path / "1", files)
    second = write(tmp_path / "2", files)

    shard = (tmp_path / "1/shards/00000.tar").read_bytes()
    assert first.digests == second.digests
    assert first.digests == {"shards/00000.tar": hashlib.sha256(shard).hexdigest()}


def test_a_shard_of_many_images_is_whole(tmp_path: Path) -> None:
    files = {f"{number:03}": bytes([number]) * 1500 for number in range(200)}

    writer = write(tmp_path, files)

    shard = tmp_path / "shards/00000.tar"
    with tarfile.open(shard) as tar:
        read = {member.name: tar.extractfile(member) for member in tar}
        assert {name: file.read() for name, file in read.items() if file} == files
    assert writer.digests == {"shards/00000.tar": hashlib.sha256(shard.read_bytes()).hexdigest()}


def test_full_shard_starts_the_next(tmp_path: Path) -> None:
    writer = write(tmp_path, {f"{n}": bytes(600) for n in range(5)}, shard_bytes=4000)

    assert list(writer.digests) == ["shards/00000.tar", "shards/00001.tar", "shards/00002.tar"]


def test_image_larger_than_a_shard_gets_its_own(tmp_path: Path) -> None:
    writer = write(tmp_path, {"a": bytes(10), "b": bytes(9000), "c": bytes(10)}, shard_bytes=4000)

    assert len(writer.digests) == 3


def test_no_files_leave_no_shard(tmp_path: Path) -> None:
    assert write(tmp_path, {}).digests == {}
