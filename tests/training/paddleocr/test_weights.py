"""Weights to start from: fetched from a path or an address, and proved."""

import hashlib
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from ocr.errors import BadData, BadInput, StoreUnavailable
from training.paddleocr.weights import fetch_weights

CONTENT = b"weights" * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "some weights.pdparams"
    path.write_bytes(CONTENT)
    return path


@pytest.fixture
def address(source: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    serve = partial(Quiet, directory=str(source.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_a_path_a_file_url_and_an_address_give_the_same(
    source: Path, address: str, tmp_path: Path
) -> None:
    named = (str(source), source.as_uri(), f"{address}/some%20weights.pdparams")
    for number, each in enumerate(named):
        target = tmp_path / f"{number}.pdparams"
        fetch_weights(each, SHA256, target)
        assert target.read_bytes() == CONTENT


def test_weights_that_are_there_are_not_fetched_again(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "t.pdparams"
    fetch_weights(str(source), SHA256, target)

    fetch_weights(str(tmp_path / "gone"), SHA256, target)

    assert target.read_bytes() == CONTENT


def test_other_weights_are_refused_and_not_left_behind(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "t.pdparams"

    with pytest.raises(BadData, match=f"has SHA-256 {SHA256}, expected {'0' * 64}"):
        fetch_weights(str(source), "0" * 64, target)

    assert not target.exists()


def test_missing_weights_are_named(address: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none.pdparams answers 404"):
        fetch_weights(f"{address}/none.pdparams", SHA256, tmp_path / "t")
    with pytest.raises(BadInput, match="there is no file /none"):
        fetch_weights("/none", SHA256, tmp_path / "t")
    with pytest.raises(StoreUnavailable, match=r"training.pretrained: http://127.0.0.1:9/x"):
        fetch_weights("http://127.0.0.1:9/x", SHA256, tmp_path / "t")
