"""What doctor finds of the store: buckets that refuse or hang, folders that cannot be made."""

import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.main import run
from ocr.errors import StoreRefused
from ocr.store.local import LocalStore
from tests.ocr.store.test_s3_faults import Answer, canned_server

EMPTY = Answer(200, b"<ListBucketResult><Name>bucket</Name></ListBucketResult>")
NO_BUCKET = Answer(404, b"<Error><Code>NoSuchBucket</Code></Error>")
DENIED = Answer(403, b"<Error><Code>AccessDenied</Code></Error>")


@pytest.fixture
def find_bucket(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., dict[str, str]]:
    """Return what doctor finds of a bucket whose server lists it so, and answers a PUT so."""

    def find(listed: Answer, put: Answer) -> dict[str, str]:
        unmarked = Answer(404, b"<Error><Code>NoSuchKey</Code></Error>", later={"GET": listed})
        answers = {"GET": unmarked, "HEAD": Answer(404, b""), "PUT": put}
        with canned_server(answers) as endpoint:
            monkeypatch.setenv("MINIO_ENDPOINT", endpoint)
            for name in ("ACCESS_KEY", "SECRET_KEY"):
                monkeypatch.setenv(f"MINIO_{name}", "of-nobody")
            monkeypatch.setenv("OCRLINE_STORE", "s3://bucket")
            run(["doctor", "--json"])
        findings = {each["part"]: each for each in json.loads(capsys.readouterr().out)}
        store: dict[str, str] = findings["store"]
        return store

    return find


def test_a_store_that_cannot_be_made_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "file" / "store"))

    assert run(["doctor", "--json"]) == 2

    findings = {each["part"]: each for each in json.loads(capsys.readouterr().out)}
    assert findings["store"]["verdict"] == "broken"
    assert findings["store"]["found"].endswith("file/store is none yet and cannot be made")


def test_a_server_that_hangs_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for name in ("ENDPOINT", "ACCESS_KEY", "SECRET_KEY"):
            monkeypatch.setenv(f"MINIO_{name}", f"127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setenv("OCRLINE_STORE", "s3://bucket")
        run(["doctor", "--json"])

    findings = {each["part"]: each for each in json.loads(capsys.readouterr().out)}
    assert findings["store"]["verdict"] == "broken"
    assert "Read timed out. (read timeout=2.0)" in findings["store"]["found"]


def test_a_key_that_may_not_list_the_store_is_found(
    find_bucket: Callable[..., dict[str, str]],
) -> None:
    found = find_bucket(DENIED, put=DENIED)

    assert found["verdict"] == "broken"
    assert "let its policy allow it" in found["found"]


def test_a_key_that_may_only_read_is_told_what_it_is_enough_for(
    find_bucket: Callable[..., dict[str, str]],
) -> None:
    listed = Answer(
        200,
        b'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name>'
        b"<CommonPrefixes><Prefix>models/</Prefix></CommonPrefixes></ListBucketResult>",
    )

    found = find_bucket(listed, put=DENIED)

    assert found["verdict"] == "risky"
    assert found["found"].startswith("can be read alone: ")
    assert found["advice"] == "enough to serve; not to retrain"


@pytest.mark.parametrize(
    ("listed", "verdict", "said"),
    [
        (EMPTY, "risky", "can be read alone"),
        (NO_BUCKET, "fine", "s3://bucket, which is none yet: the first write"),
    ],
)
def test_of_an_empty_store_the_bucket_is_tried_and_one_that_is_none_yet_is_not_made(
    find_bucket: Callable[..., dict[str, str]], listed: Answer, verdict: str, said: str
) -> None:
    found = find_bucket(listed, put=DENIED)

    assert found["verdict"] == verdict
    assert found["found"].startswith(said)


def test_what_a_key_that_may_not_remove_leaves_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def refuse(_: LocalStore, key: str) -> None:
        raise StoreRefused(f"no right to remove {key}")

    monkeypatch.setattr(LocalStore, "remove", refuse)
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path))

    run(["doctor", "--json"])

    findings = {each["part"]: each for each in json.loads(capsys.readouterr().out)}
    assert findings["store"]["verdict"] == "fine"
    assert "nothing yet; doctor/probe.txt stays there, for this" in findings["store"]["found"]


def test_the_store_is_tried_by_writing_and_left_as_it_was(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path))

    run(["doctor", "--json"])
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "one.json").touch()
    run(["doctor", "--json"])

    empty, used = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    found = [next(each for each in told if each["part"] == "store") for told in (empty, used)]
    assert [each["verdict"] for each in found] == ["fine", "fine"]
    assert [each["found"].endswith("which holds nothing yet") for each in found] == [True, False]
    assert [path.name for path in tmp_path.rglob("[!.]*.*")] == ["one.json"]
