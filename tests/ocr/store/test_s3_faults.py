"""An S3 server that stalls, vanishes or is full: told in seconds, nothing half-visible."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest

from deploy.ports import pick_port
from ocr.errors import AliasMoved, StoreUnavailable
from ocr.store import S3Credentials, Store, open_store
from ocr.store.minio import MinioStore
from tests.minio_server import running_minio
from tests.ocr.store.noise import write_noise
from tests.small_disk import small_disk
from tests.tcp_proxy import faulty_proxy

MEBIBYTE = 2**20
LARGE = 40 * MEBIBYTE
SMALL = 4 * MEBIBYTE
KEY = "datasets/plates/0f3a/shards/00000.tar"
ALIAS = "models/plates/aliases/champion.json"
PUT = """
import os, sys
from pathlib import Path
from ocr.store import S3Credentials, open_store
credentials = S3Credentials(sys.argv[2], os.environ["ACCESS_KEY"], os.environ["SECRET_KEY"])
open_store(sys.argv[1], s3=credentials).put_file(sys.argv[3], Path(sys.argv[4]))
"""


@pytest.fixture(params=["moto", "minio"])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(credentials: S3Credentials | None) -> S3Credentials:
    assert credentials is not None
    return credentials


def start_writer(uri: str, server: S3Credentials, source: Path) -> "subprocess.Popen[bytes]":
    keys = {"ACCESS_KEY": server.access_key, "SECRET_KEY": server.secret_key}
    command = [sys.executable, "-c", PUT, uri, server.endpoint, KEY, str(source)]
    return subprocess.Popen(command, env={**os.environ, **keys})


@pytest.mark.parametrize("size", [LARGE, SMALL], ids=["in-parts", "in-one-piece"])
def test_a_writer_killed_in_mid_transfer_leaves_nothing_to_see(
    store: Store, store_uri: str, server: S3Credentials, tmp_path: Path, size: int
) -> None:
    source = write_noise(tmp_path / "source", size=size)
    with faulty_proxy(server.endpoint, direction="up", limit=size // 2, fault="stall") as proxy:
        writer = start_writer(store_uri, replace(server, endpoint=proxy.endpoint), source)

        is_in_mid_transfer = proxy.reached.wait(timeout=60)
        writer.kill()
        writer.wait()

    assert is_in_mid_transfer
    assert not store.exists(KEY)
    assert list(store.list("")) == []
    store.put_file(KEY, source)
    assert store.read_bytes(KEY) == source.read_bytes()


def test_a_server_that_vanishes_during_an_upload_is_named_and_nothing_shows(
    store: Store, store_uri: str, server: S3Credentials, tmp_path: Path
) -> None:
    source = write_noise(tmp_path / "source", size=LARGE)
    with faulty_proxy(server.endpoint, direction="up", limit=LARGE // 2, fault="vanish") as proxy:
        through_proxy = open_store(store_uri, s3=replace(server, endpoint=proxy.endpoint))

        with pytest.raises(StoreUnavailable, match=f"{proxy.endpoint} does not answer"):
            through_proxy.put_file(KEY, source)

    assert list(store.list("")) == []
    store.put_file(KEY, source)
    assert store.read_bytes(KEY) == source.read_bytes()


def test_a_server_that_vanishes_during_a_download_leaves_no_half_file(
    store: Store, store_uri: str, server: S3Credentials, tmp_path: Path
) -> None:
    store.put_file(KEY, write_noise(tmp_path / "source", size=LARGE))
    with faulty_proxy(server.endpoint, direction="down", limit=LARGE // 2, fault="vanish") as proxy:
        through_proxy = open_store(store_uri, s3=replace(server, endpoint=proxy.endpoint))

        with pytest.raises(StoreUnavailable, match=f"{proxy.endpoint} does not answer"):
            through_proxy.get_file(KEY, tmp_path / "copies" / "copy")

    assert list((tmp_path / "copies").iterdir()) == []


def test_a_put_whose_answer_is_lost_is_sent_again(
    store: Store, store_uri: str, server: S3Credentials
) -> None:
    store.put_bytes("first.txt", b"")
    with faulty_proxy(server.endpoint, direction="down", limit=0, fault="drop") as proxy:
        through_proxy = open_store(store_uri, s3=replace(server, endpoint=proxy.endpoint))

        through_proxy.put_bytes(KEY, b"once")

        assert proxy.reached.is_set()
    assert store.read_bytes(KEY) == b"once"


def test_a_swap_whose_answer_is_lost_says_so_and_is_not_repeated(
    store: Store, store_uri: str, server: S3Credentials
) -> None:
    tag = store.compare_and_swap(ALIAS, b"v1", expected=None)
    with faulty_proxy(server.endpoint, direction="down", limit=0, fault="drop") as proxy:
        through_proxy = open_store(store_uri, s3=replace(server, endpoint=proxy.endpoint))

        with pytest.raises(StoreUnavailable):
            through_proxy.compare_and_swap(ALIAS, b"v2", expected=tag)

    assert store.read_bytes(ALIAS) == b"v2"
    with pytest.raises(AliasMoved):
        store.compare_and_swap(ALIAS, b"v3", expected=tag)


def test_a_server_that_never_answers_is_given_up(server: S3Credentials) -> None:
    with faulty_proxy(server.endpoint, direction="up", limit=0, fault="stall") as proxy:
        silent = replace(server, endpoint=proxy.endpoint)
        store = MinioStore(bucket="bucket", prefix="", credentials=silent, read_timeout_s=0.2)

        with pytest.raises(StoreUnavailable, match=f"{proxy.endpoint} does not answer"):
            store.read_bytes(KEY)


def test_a_server_killed_during_an_upload_comes_back_with_all_that_was_there(
    tmp_path: Path,
) -> None:
    source = write_noise(tmp_path / "source", size=LARGE)
    with running_minio(tmp_path) as (server, process):
        store = open_store("s3://ocrline/tests", s3=server)
        store.put_bytes("before.txt", b"kept")
        with faulty_proxy(server.endpoint, direction="up", limit=LARGE // 2, fault="stall") as slow:
            writer = start_writer(store.uri, replace(server, endpoint=slow.endpoint), source)
            is_in_mid_transfer = slow.reached.wait(timeout=60)
            process.kill()
            writer.kill()
            writer.wait()

    with running_minio(tmp_path) as (server, _):
        store = open_store("s3://ocrline/tests", s3=server)
        found = list(store.list(""))
        store.put_file(KEY, source)

        assert is_in_mid_transfer
        assert found == ["before.txt"]
        assert store.read_bytes("before.txt") == b"kept"
        assert store.read_bytes(KEY) == source.read_bytes()


def test_a_full_disk_under_the_server_is_told_and_nothing_shows(tmp_path: Path) -> None:
    source = write_noise(tmp_path / "source", size=2 * LARGE)
    disk = small_disk(tmp_path / "data", size_mb=LARGE // MEBIBYTE)
    with running_minio(tmp_path, disk=disk) as (server, _):
        store = open_store("s3://ocrline/tests", s3=server)
        store.put_bytes("before.txt", b"kept")

        with pytest.raises(StoreUnavailable, match="has no space"):
            store.put_file(KEY, source)

        assert list(store.list("")) == ["before.txt"]
        assert store.read_bytes("before.txt") == b"kept"


def test_a_server_that_is_not_there_is_named_once(caplog: pytest.LogCaptureFixture) -> None:
    endpoint = f"127.0.0.1:{pick_port(0)}"
    store = open_store("s3://bucket", s3=S3Credentials(endpoint, "reader", "hush-hush"))

    with pytest.raises(StoreUnavailable) as failure:
        store.exists(KEY)

    assert f"{endpoint} does not answer" in str(failure.value)
    assert "MINIO_ENDPOINT" in str(failure.value)

    assert "Retrying" not in caplog.text


@pytest.mark.parametrize(
    ("status", "kind", "body", "told"),
    [
        (507, "application/xml", "<Error><Code>XMinioStorageFull</Code></Error>", "no space"),
        (503, "application/xml", "<Error><Code>SlowDown</Code></Error>", "SlowDown"),
        (400, "application/xml", "<Error><Code>InvalidRegion</Code></Error>", "InvalidRegion"),
        (404, "text/html", "<html>no S3 here</html>", "does not answer"),
    ],
)
def test_what_goes_wrong_on_the_server_is_said(
    status: int, kind: str, body: str, told: str
) -> None:
    with canned_server({"PUT": Answer(status, body.encode(), kind)}) as endpoint:
        store = open_store("s3://bucket", s3=S3Credentials(endpoint, "reader", "hush-hush"))

        with pytest.raises(StoreUnavailable) as failure:
            store.put_bytes(KEY, b"weights")

    assert told in str(failure.value)
    assert "hush" not in str(failure.value)


def test_a_page_of_a_proxy_is_no_fault_of_ours() -> None:
    """It answers everything with success, as one does where somebody has to log in first."""
    page = Answer(200, b"<html><body>Log in</body></html>", "text/html")
    with canned_server({"GET": page}) as endpoint:
        store = open_store("s3://bucket", s3=S3Credentials(endpoint, "reader", "hush-hush"))

        with pytest.raises(StoreUnavailable, match="MINIO_ENDPOINT right"):
            list(store.list(""))


def test_an_upload_that_cannot_be_given_up_either_tells_what_went_wrong_first(
    tmp_path: Path,
) -> None:
    answers = {
        "HEAD": Answer(404, b""),
        "POST": Answer(200, b"<R><Bucket>b</Bucket><Key>k</Key><UploadId>7</UploadId></R>"),
        "PUT": Answer(507, b"<Error><Code>XMinioStorageFull</Code></Error>"),
        "DELETE": Answer(404, b"<Error><Code>NoSuchUpload</Code></Error>"),
    }
    with canned_server(answers) as endpoint:
        store = open_store("s3://bucket", s3=S3Credentials(endpoint, "reader", "hush-hush"))

        with pytest.raises(StoreUnavailable, match="has no space"):
            store.put_file(KEY, write_noise(tmp_path / "source", size=LARGE))


def test_an_upload_that_the_server_lost_is_begun_again(tmp_path: Path) -> None:
    full = Answer(507, b"<Error><Code>XMinioStorageFull</Code></Error>")
    answers = {
        "HEAD": Answer(404, b""),
        "POST": Answer(200, b"<R><Bucket>b</Bucket><Key>k</Key><UploadId>7</UploadId></R>"),
        "PUT": Answer(404, b"<Error><Code>NoSuchUpload</Code></Error>"),
        "DELETE": Answer(204, b"", later={"PUT": full}),
    }
    with canned_server(answers) as endpoint:
        store = open_store("s3://bucket", s3=S3Credentials(endpoint, "reader", "hush-hush"))

        with pytest.raises(StoreUnavailable, match="has no space"):
            store.put_file(KEY, write_noise(tmp_path / "source", size=LARGE))


class Answer(NamedTuple):
    status: int
    body: bytes
    kind: str = "application/xml"
    later: Mapping[str, "Answer"] = {}  # what other methods answer from then on
    packed: str = ""  # as which it says that it is


@contextmanager
def canned_server(answers: dict[str, Answer]) -> Iterator[str]:
    """A server that answers each method in one way, over connections that it keeps."""

    class Canned(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, body, kind, later, packed = answers[self.command]
            answers.update(later)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            if packed:
                self.send_header("Content-Encoding", packed)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = answer  # noqa: N815  (http.server names)

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Canned) as http:
        thread = threading.Thread(target=http.serve_forever)
        http.daemon_threads = True  # one may wait on a connection that the store keeps
        thread.start()
        try:
            yield f"127.0.0.1:{http.server_port}"
        finally:
            http.shutdown()
            thread.join()
