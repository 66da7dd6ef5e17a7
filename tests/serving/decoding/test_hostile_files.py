"""Files made to stop a gateway stop a decoder, and the gateway goes on."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from ocr.decoding.decoder import END_S
from serving.decoding.page_feed import GRACE_S
from tests.processes import children_with, has_ended
from tests.serving.decoding.hostile_uploads import CASES, is_expected, serving
from tests.serving.gateway import Gateway, wait_until
from tests.serving.rest.bad_uploads import PNG, READ, describe, raw

SECRET = "s3cret-of-the-store"


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    folder = tmp_path_factory.mktemp("hostile")
    with serving(folder, MINIO_SECRET_KEY=SECRET) as running:
        yield running


def decoders(gateway: Gateway) -> list[psutil.Process]:
    return children_with("ocr.decoding.child", parent=gateway.process.pid)


@pytest.mark.parametrize("case", CASES)
def test_hostile_upload_gets_what_it_should_and_the_next_document_is_read(
    gateway: Gateway, case: str
) -> None:
    make, _ = CASES[case]

    got = describe(raw(make())(gateway))

    assert is_expected(case, got), got
    assert describe(raw(PNG)(gateway)) == READ
    assert "Traceback" not in gateway.log.read_text()


def test_decoder_that_crashes_is_replaced(gateway: Gateway) -> None:
    assert describe(raw(PNG)(gateway)) == READ
    before = decoders(gateway)

    for one in before:
        one.send_signal(signal.SIGSEGV)

    assert before
    wait_until(lambda: all(map(has_ended, before)), log=gateway.log)
    assert [describe(raw(PNG)(gateway)) for _ in range(3)] == [READ] * 3


def test_page_whose_client_has_left_is_not_decoded_to_its_end(gateway: Gateway) -> None:
    make, _ = CASES["PDF of tiny tiles"]
    endless = make()
    ended = "a decoder ended (SIGKILL)"  # of its own time limit the log says nothing
    before = gateway.log.read_text().count(ended)

    def is_ended() -> bool:
        """Leave during the decoding; on a busy machine it may not have begun: then once more."""
        headers = {"content-type": "application/pdf", "X-Request-Timeout": "0.5"}
        answer = gateway.post("/v1/ocr", content=endless, headers=headers)
        assert answer.json()["error"]["code"] == "expired"
        time.sleep(GRACE_S + 2 * END_S)
        return gateway.log.read_text().count(ended) > before

    wait_until(is_ended, log=gateway.log)
    assert describe(raw(PNG)(gateway)) == READ


def test_decoder_has_no_secret_no_file_and_no_connection_of_the_gateway(gateway: Gateway) -> None:
    assert describe(raw(PNG)(gateway)) == READ

    for decoder in decoders(gateway):
        folder = Path("/proc") / str(decoder.pid)
        environment = (folder / "environ").read_bytes()
        opened = sorted(str(file.readlink()) for file in (folder / "fd").iterdir())
        assert SECRET.encode() not in environment
        assert b"OCRLINE" not in environment
        assert opened[:3] == ["/dev/null"] * 3
        assert [name.partition(":")[0] for name in opened[3:]] == ["socket"]
    assert decoders(gateway)
