"""Store URIs, and what the wrong ones are told."""

from pathlib import Path

import pytest

from ocr.errors import BadInput
from ocr.store import S3Credentials, open_store

CREDENTIALS = S3Credentials("127.0.0.1:9000", "reader", "hush-hush")


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_a_folder_is_a_path_or_a_file_uri(tmp_path: Path, form: str) -> None:
    folder = tmp_path / "a store%20with ünusual name"

    store = open_store(form.format(folder))
    store.put_bytes("a.txt", b"a")

    assert store.uri == f"file://{folder}"
    assert (folder / "a.txt").read_bytes() == b"a"


def test_opening_a_store_touches_nothing(tmp_path: Path) -> None:
    open_store(str(tmp_path / "store"))
    open_store("s3://bucket/prefix", s3=CREDENTIALS)

    assert list(tmp_path.iterdir()) == []


def test_a_prefix_may_have_an_at_sign() -> None:
    assert open_store("s3://bucket/a@b", s3=CREDENTIALS).uri == "s3://bucket/a@b"


@pytest.mark.parametrize("uri", ["s3://bucket/a/prefix", "s3://bucket/a/prefix/"])
def test_a_bucket_may_have_a_prefix(uri: str) -> None:
    assert open_store(uri, s3=CREDENTIALS).uri == "s3://bucket/a/prefix"


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        ("", "expected an absolute path"),
        ("file://store", "expected an absolute path"),
        ("http://127.0.0.1:9000/bucket", "expected file:///folder, a path or s3://"),
        ("s3://", "names no bucket"),
        ("s3://Bucket", "expected 3 to 63 of a-z"),
        ("s3://bucket/../other", "may not start with a dot"),
    ],
)
def test_a_wrong_uri_is_refused_with_the_reason(uri: str, told: str) -> None:
    with pytest.raises(BadInput) as refusal:
        open_store(uri, s3=CREDENTIALS)

    assert told in str(refusal.value)


@pytest.mark.parametrize("s3", [None, CREDENTIALS])
@pytest.mark.parametrize(
    "uri",
    [
        "s3://akey:hidden@bucket/prefix",
        "s3://akey:hid/hidden@bucket/prefix",
        "http://akey:hidden@server:9000/bucket",
    ],
)
def test_keys_in_an_address_are_refused_and_not_shown(s3: S3Credentials | None, uri: str) -> None:
    with pytest.raises(BadInput, match="MINIO_SECRET_KEY hold the keys") as refusal:
        open_store(uri, s3=s3)

    assert "hidden" not in str(refusal.value)
    assert "akey" not in str(refusal.value)


@pytest.mark.parametrize("s3", [None, S3Credentials("", "", ""), S3Credentials("h:1", "a", "")])
def test_a_bucket_without_credentials_names_the_variables(s3: S3Credentials | None) -> None:
    with pytest.raises(BadInput, match="MINIO_ENDPOINT, MINIO_ACCESS_KEY and MINIO_SECRET_KEY"):
        open_store("s3://bucket", s3=s3)


@pytest.mark.parametrize(
    ("endpoint", "why"),
    [("http://127.0.0.1:9000", "http or https says MINIO_SECURE"), ("127.0.0.1:9000/path", "path")],
)
def test_an_endpoint_with_scheme_or_path_is_refused(endpoint: str, why: str) -> None:
    with pytest.raises(BadInput, match=rf"expected HOST:PORT \(.*{why}"):
        open_store("s3://bucket", s3=S3Credentials(endpoint, "reader", "hush-hush"))


def test_keys_in_an_endpoint_are_not_shown() -> None:
    with pytest.raises(BadInput, match="expected HOST:PORT") as refusal:
        open_store("s3://bucket", s3=S3Credentials("reader:hush-hush@server:9000", "a", "b"))

    assert "hush" not in str(refusal.value)
    assert "server:9000" in str(refusal.value)


def test_the_secret_never_shows() -> None:
    assert "hush" not in repr(CREDENTIALS)
