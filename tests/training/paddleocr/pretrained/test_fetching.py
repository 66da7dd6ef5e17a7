"""Weights to start from: fetched from a path or an address, and proved."""

import hashlib
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from ocr.errors import BadData, BadInput, StoreUnavailable
from training.loop.guards import Stopped, StopRequest
from training.paddleocr.pretrained import fetching
from training.paddleocr.pretrained.fetching import fetch_weights

CONTENT = b"weights" * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()

fetch = partial(fetch_weights, field="pretrained", stop=StopRequest())


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

        def do_GET(self) -> None:
            if self.path.startswith("/moved"):
                self.send_response(302)
                self.send_header("Location", "/some%20weights.pdparams?token=hush-hush")
                self.end_headers()
            else:
                super().do_GET()

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
        fetch(each, SHA256, target)
        assert target.read_bytes() == CONTENT


def test_weights_that_are_there_are_not_fetched_again(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "t.pdparams"
    fetch(str(source), SHA256, target)

    fetch(str(tmp_path / "gone"), SHA256, target)

    assert target.read_bytes() == CONTENT


def test_other_weights_are_refused_and_not_left_behind(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "t.pdparams"

    with pytest.raises(BadData, match=f"has SHA-256 {SHA256}, expected {'0' * 64}"):
        fetch(str(source), "0" * 64, target)

    assert not target.exists()


def test_missing_weights_are_named(address: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none.pdparams answers 404"):
        fetch(f"{address}/none.pdparams", SHA256, tmp_path / "t")
    with pytest.raises(BadInput, match=r"there is no file '/none'$"):
        fetch("/none", SHA256, tmp_path / "t")
    with pytest.raises(BadInput, match=r"training.pretrained: 'n+': File name too long"):
        fetch("n" * 300, SHA256, tmp_path / "t")
    (tmp_path / "latest.pdparams").touch()
    with pytest.raises(BadInput, match=r"no file '/\S+/latest'; add .pdparams"):
        fetch(f"{tmp_path}/latest", SHA256, tmp_path / "t")
    with pytest.raises(StoreUnavailable, match=r"training.pretrained: http://127.0.0.1:9/x"):
        fetch("http://127.0.0.1:9/x", SHA256, tmp_path / "t")
    with pytest.raises(BadInput, match="is no address"):
        fetch("http://a\0b/x", SHA256, tmp_path / "t")


@pytest.mark.parametrize("kind", ["path", "address"])
def test_more_than_is_taken_is_not_fetched_to_its_end(
    kind: str, source: Path, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "MOST_BYTES", len(CONTENT) - 1)
    named = {"path": str(source), "address": f"{address}/some%20weights.pdparams"}[kind]

    with pytest.raises(BadData, match=r"has more than .* GiB, the most that is taken"):
        fetch(named, SHA256, tmp_path / "t")

    assert list(tmp_path.iterdir()) == [source]


def test_an_address_that_takes_too_long_is_given_up(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "MOST_S", -1)

    with pytest.raises(StoreUnavailable, match="took longer than -1 s; fetch it yourself"):
        fetch(f"{address}/some%20weights.pdparams", SHA256, tmp_path / "t")


@pytest.mark.parametrize("kind", ["path", "address"])
def test_sigterm_ends_it_and_leaves_nothing(
    kind: str, source: Path, address: str, tmp_path: Path
) -> None:
    stop = StopRequest()
    stop.at = 1.0
    named = {"path": str(source), "address": f"{address}/some%20weights.pdparams"}[kind]

    with pytest.raises(Stopped, match="Asked to stop while weights were fetched"):
        fetch_weights(named, SHA256, tmp_path / "t", field="pretrained", stop=stop)

    assert list(tmp_path.iterdir()) == [source]


def test_a_redirect_without_https_is_refused_and_not_quoted(address: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="/moved redirects; only https that leads to") as refused:
        fetch(f"{address}/moved", SHA256, tmp_path / "t")

    assert "hush-hush" not in str(refused.value)
