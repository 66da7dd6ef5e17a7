import hashlib
import tarfile
from pathlib import Path

from ocr.dataset.snapshot.shards import place_in_shards, read_shard, write_shard

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
    places = list(place_in_shards(map(len, FILES.values())))

    write_shard(tmp_path / places[0].shard, FILES.items())

    found = [read_shard(tmp_path, **place._asdict()) for place in places]
    assert found == list(FILES.values())


def test_full_shard_starts_the_next() -> None:
    places = place_in_shards([600] * 5, shard_bytes=4000)

    assert [place.shard[-5:-4] + f" {place.offset}" for place in places] == [
        "0 512",
        "0 2048",
        "1 512",
        "1 2048",
        "2 512",
    ]


def test_image_larger_than_a_shard_gets_its_own() -> None:
    places = place_in_shards([10, 9000, 10], shard_bytes=4000)

    assert [place.shard for place in places] == [f"shards/0000{n}.tar" for n in range(3)]


def test_no_files_need_no_shard() -> None:
    assert list(place_in_shards([])) == []
