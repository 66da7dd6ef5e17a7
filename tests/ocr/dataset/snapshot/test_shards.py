import hashlib
import tarfile
from pathlib import Path

import numpy as np
import pytest

from ocr.dataset.snapshot.shards import place_in_shards, read_shard, shard_name, write_shard
from ocr.errors import BadData

FILES = {f"{number:03}.jpg": bytes([number]) * (700 + number) for number in range(200)}


def read_tar(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as tar:
        found = {member.name: tar.extractfile(member) for member in tar}
        return {name: file.read() for name, file in found.items() if file}


def test_any_tar_unpacks_a_shard(tmp_path: Path) -> None:
    files = {"a.png": b"first", "b.jpg": bytes(512), "c.jpg": b""}

    write_shard(tmp_path / "shards/00000.tar", files.items())

    assert read_tar(tmp_path / "shards/00000.tar") == files


def test_a_shard_of_many_images_is_whole_and_told_by_its_digest(tmp_path: Path) -> None:
    digest = write_shard(tmp_path / "shard", FILES.items())

    assert read_tar(tmp_path / "shard") == FILES
    assert digest == hashlib.sha256((tmp_path / "shard").read_bytes()).hexdigest()


def test_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    assert write_shard(tmp_path / "1", FILES.items()) == write_shard(tmp_path / "2", FILES.items())


def test_places_read_without_the_tar(tmp_path: Path) -> None:
    sizes = np.array([len(content) for content in FILES.values()])
    shards, offsets = place_in_shards(sizes)

    write_shard(tmp_path / shard_name(0), FILES.items())

    found = [
        read_shard(tmp_path, shard=shard_name(shard), offset=offset, size=size)
        for shard, offset, size in zip(
            shards.tolist(), offsets.tolist(), sizes.tolist(), strict=True
        )
    ]
    assert found == list(FILES.values())


def test_full_shard_starts_the_next() -> None:
    shards, offsets = place_in_shards(np.array([600] * 5), shard_bytes=4000)

    assert shards.tolist() == [0, 0, 1, 1, 2]
    assert offsets.tolist() == [512, 2048, 512, 2048, 512]


def test_image_larger_than_a_shard_gets_its_own() -> None:
    shards, _ = place_in_shards(np.array([10, 9000, 10]), shard_bytes=4000)

    assert shards.tolist() == [0, 1, 2]


def test_no_files_need_no_shard() -> None:
    shards, offsets = place_in_shards(np.array([], np.int32))

    assert len(shards) == len(offsets) == 0


@pytest.mark.parametrize(
    "shard", ["/etc/hostname", "../secret", "shards/../../secret", "shards/x.tar"]
)
def test_a_shard_lies_in_its_snapshot_whatever_a_row_says(tmp_path: Path, shard: str) -> None:
    with pytest.raises(BadData, match="is no shard of a snapshot"):
        read_shard(tmp_path, shard=shard, offset=0, size=1)


@pytest.mark.parametrize(("offset", "size"), [(0, 10**13), (-1, 1), (10**6, 1), (0, -1)])
def test_nothing_beyond_a_shard_is_read(tmp_path: Path, offset: int, size: int) -> None:
    write_shard(tmp_path / shard_name(0), FILES.items())

    with pytest.raises(BadData, match=r"00000\.tar ends before"):
        read_shard(tmp_path, shard=shard_name(0), offset=offset, size=size)
