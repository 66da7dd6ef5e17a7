"""What every store promises: one suite for a local folder, MinIO and moto's S3."""

import pytest

from ocr.errors import ArtifactExists
from ocr.store import S3Credentials, Store, open_store

KEY = "models/plates/v1/onnx/model.onnx"
LARGE = 20 * 2**20  # three parts of a multipart upload


def test_what_is_put_can_be_read(store: Store) -> None:
    store.put_bytes(KEY, b"weights")

    assert store.read_bytes(KEY) == b"weights"
    assert store.exists(KEY)


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
