"""What every store promises: one suite for a local folder, moto's S3 and a MinIO server."""

from pathlib import Path

import pytest

from ocr.errors import AliasMoved, ArtifactExists, ArtifactNotFound, BadData, BadInput
from ocr.store import S3Credentials, Store, open_store
from tests.ocr.store.by_hand import put_by_hand
from tests.ocr.store.noise import write_noise

ALIAS = "models/plates/aliases/champion.json"
KEY = "models/plates/v1/onnx/model.onnx"
LARGE = 20 * 2**20  # three parts of a multipart upload


def test_what_is_put_can_be_read(store: Store) -> None:
    store.put_bytes(KEY, b"weights")

    assert store.read_bytes(KEY) == b"weights"
    assert store.exists(KEY)


def test_a_store_is_there_from_its_first_write(store: Store) -> None:
    before = store.is_there()
    store.put_bytes(KEY, b"weights")
    store.remove(KEY)

    assert (before, store.is_there()) == (False, True)


def test_an_empty_object_can_be_stored(store: Store) -> None:
    store.put_bytes("empty.txt", b"")

    assert store.read_bytes("empty.txt") == b""


def test_a_store_opened_again_holds_what_was_put(
    store: Store, store_uri: str, credentials: S3Credentials | None
) -> None:
    store.put_bytes(KEY, b"weights")

    assert open_store(store_uri, s3=credentials).read_bytes(KEY) == b"weights"


def test_putting_the_same_content_again_does_nothing(store: Store) -> None:
    store.put_bytes(KEY, b"weights")
    tag = store.read_tagged(KEY)[1]

    store.put_bytes(KEY, b"weights")

    assert store.read_tagged(KEY) == (b"weights", tag)


def test_other_content_for_a_taken_key_is_refused(store: Store) -> None:
    store.put_bytes(KEY, b"weights")

    with pytest.raises(ArtifactExists, match="immutable"):
        store.put_bytes(KEY, b"other")

    assert store.read_bytes(KEY) == b"weights"


def test_a_missing_key_is_told_from_a_missing_store(store: Store, tmp_path: Path) -> None:
    for read in (
        lambda: store.read_bytes(KEY),
        lambda: store.read_tagged(KEY),
        lambda: store.read_range(KEY, offset=0, size=1),
        lambda: store.read_start(KEY, size=1),
        lambda: store.get_file(KEY, tmp_path / "copy"),
    ):
        with pytest.raises(ArtifactNotFound, match=KEY):
            read()

    assert not store.exists(KEY)
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("content", [b"", b"123", b"1234", b"1234567" * 1_000_000])
def test_no_more_is_read_of_an_object_than_its_start(store: Store, content: bytes) -> None:
    store.put_bytes("image.jpg", content)

    for _ in range(3):
        assert store.read_start("image.jpg", size=4) == content[:4]


def test_no_more_is_read_of_an_object_than_it_may_have(store: Store) -> None:
    store.put_bytes(ALIAS, b"12345")

    for _ in range(3):
        for read in (store.read_bytes, store.read_tagged):
            with pytest.raises(BadData, match=r"champion\.json has more than 4 bytes"):
                read(ALIAS, most=4)
        assert store.read_bytes(ALIAS, most=5) == store.read_tagged(ALIAS, most=5)[0] == b"12345"


@pytest.mark.parametrize("size", [0, 1, LARGE])
def test_a_file_of_any_size_goes_in_and_out(store: Store, tmp_path: Path, size: int) -> None:
    source = write_noise(tmp_path / "source", size=size)

    store.put_file(KEY, source)
    store.get_file(KEY, tmp_path / "deep" / "copy")

    assert (tmp_path / "deep" / "copy").read_bytes() == source.read_bytes()
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["copy"]


def test_a_large_file_is_as_immutable_as_a_small_one(store: Store, tmp_path: Path) -> None:
    source = write_noise(tmp_path / "source", size=LARGE)
    other = write_noise(tmp_path / "other", size=LARGE)
    store.put_file(KEY, source)
    tag = store.read_tagged(KEY)[1]

    store.put_file(KEY, source)
    with pytest.raises(ArtifactExists):
        store.put_file(KEY, other)

    assert store.read_tagged(KEY)[1] == tag


def test_the_same_content_is_known_whether_it_came_as_bytes_or_file(
    store: Store, tmp_path: Path
) -> None:
    source = write_noise(tmp_path / "source", size=100)

    store.put_bytes(KEY, source.read_bytes())
    store.put_file(KEY, source)

    assert list(store.list("")) == [KEY]


def test_putting_a_file_that_is_not_there_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nowhere"):
        store.put_file(KEY, tmp_path / "nowhere")


def test_a_range_is_read_exactly(store: Store) -> None:
    store.put_bytes("shard.tar", b"0123456789")

    assert store.read_range("shard.tar", offset=3, size=4) == b"3456"
    assert store.read_range("shard.tar", offset=0, size=10) == b"0123456789"


@pytest.mark.parametrize(("offset", "size"), [(8, 4), (10, 1), (50, 1), (-1, 2), (0, 0)])
def test_a_range_outside_of_the_object_is_refused(store: Store, offset: int, size: int) -> None:
    store.put_bytes("shard.tar", b"0123456789")

    with pytest.raises(BadInput):
        store.read_range("shard.tar", offset=offset, size=size)


def test_listing_is_sorted_and_stays_inside_of_the_folder(store: Store) -> None:
    keys = ["a/b.txt", "a/b/c.txt", "a-b/c.txt", "a/B.txt", "ab/c.txt", "图/像.png", "z.txt"]
    for key in reversed(keys):
        store.put_bytes(key, key.encode())

    assert list(store.list("")) == sorted(keys)
    assert list(store.list("a")) == ["a/B.txt", "a/b.txt", "a/b/c.txt"]
    assert list(store.list("图")) == ["图/像.png"]
    assert list(store.list("nothing")) == []


def test_folders_are_named_one_level_deep(store: Store) -> None:
    for key in ("models/b/v1/a.txt", "models/b/v1/b.txt", "models/a/v2/c.txt", "models/card.md"):
        store.put_bytes(key, b"")

    assert list(store.folders("")) == ["models"]
    assert list(store.folders("models")) == ["a", "b"]
    assert list(store.folders("models/b")) == ["v1"]
    assert list(store.folders("nothing")) == []


def test_folders_that_something_else_put_there_are_none(
    store: Store, store_uri: str, credentials: S3Credentials | None
) -> None:
    store.put_bytes("models/a/v1/a.txt", b"")
    for folder in ("models/a.bak", "models/.trash", "models/a "):
        put_by_hand(store_uri, f"{folder}/v1/a.txt", credentials=credentials)

    assert list(store.folders("models")) == ["a"]


def test_listing_goes_beyond_one_page_of_an_s3_server(store: Store) -> None:
    keys = [f"many/{number:04}.txt" for number in range(1001)]
    for key in keys:
        store.put_bytes(key, b"")

    assert list(store.list("many")) == keys


def test_compare_and_swap_creates_then_moves(store: Store) -> None:
    first = store.compare_and_swap(ALIAS, b"v1", expected=None)
    second = store.compare_and_swap(ALIAS, b"v2", expected=first)

    assert store.read_tagged(ALIAS) == (b"v2", second)
    assert first != second


def test_compare_and_swap_of_what_somebody_moved_is_refused(store: Store) -> None:
    first = store.compare_and_swap(ALIAS, b"v1", expected=None)
    store.compare_and_swap(ALIAS, b"v2", expected=first)

    for stale in (first, None, "0" * 32):
        with pytest.raises(AliasMoved):
            store.compare_and_swap(ALIAS, b"v3", expected=stale)

    assert store.read_bytes(ALIAS) == b"v2"


def test_compare_and_swap_of_what_is_gone_is_refused(store: Store) -> None:
    with pytest.raises(AliasMoved):
        store.compare_and_swap(ALIAS, b"v1", expected="0" * 32)

    assert not store.exists(ALIAS)


@pytest.mark.parametrize("key", ["", "a", "../b.txt", "a/../b.txt", "/a.txt", "a//b.txt", "a.txt/"])
def test_a_malformed_key_is_refused_by_every_method(store: Store, tmp_path: Path, key: str) -> None:
    source = write_noise(tmp_path / "source", size=1)

    for use in (
        lambda: store.put_bytes(key, b""),
        lambda: store.put_file(key, source),
        lambda: store.read_bytes(key),
        lambda: store.read_range(key, offset=0, size=1),
        lambda: store.get_file(key, tmp_path / "copy"),
        lambda: store.exists(key),
        lambda: store.read_tagged(key),
        lambda: store.compare_and_swap(key, b"", expected=None),
    ):
        with pytest.raises(BadInput):
            use()


def test_stores_under_two_prefixes_of_a_bucket_do_not_meet(
    store: Store, store_uri: str, credentials: S3Credentials | None
) -> None:
    other = open_store(f"{store_uri}/other", s3=credentials)

    other.put_bytes(KEY, b"weights")

    assert not store.exists(KEY)
    assert list(other.list("")) == [KEY]
    assert list(store.list("")) == [f"other/{KEY}"]
