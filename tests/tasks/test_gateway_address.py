"""Who gets the token of this machine."""

from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from configs.settings import Settings
from deploy import status
from ocr.errors import BadInput
from tasks.gateway_address import token_for

ELSEWHERE = "https://ocr.example.org"


@pytest.mark.parametrize(
    "endpoint", ["http://127.0.0.1:8868", "http://localhost", "http://[::1]:1"]
)
def test_a_gateway_of_this_machine_gets_it(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCRLINE_TOKEN", "hush")

    assert token_for(endpoint, Settings()) == "hush"


@pytest.mark.parametrize(
    ("told", "gets_it"),
    [
        ("", False),
        (ELSEWHERE, True),
        (f"http://10.0.0.7:8868, {ELSEWHERE}/", True),
        ("http://ocr.example.org", False),
        (f"{ELSEWHERE}.evil.org", False),
        ("https://example.org", False),
    ],
)
def test_one_elsewhere_gets_it_where_somebody_said_so(
    told: str, gets_it: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCRLINE_TOKEN", "hush")
    monkeypatch.setenv("OCRLINE_TOKEN_FOR", told)

    if gets_it:
        assert token_for(ELSEWHERE, Settings()) == "hush"
        return
    with pytest.raises(BadInput, match="set OCRLINE_TOKEN_FOR to it") as refusal:
        token_for(ELSEWHERE, Settings())
    assert "hush" not in str(refusal.value)


def test_without_a_token_any_gateway_is_asked() -> None:
    assert token_for(ELSEWHERE, Settings()) == ""


def test_status_asks_one_elsewhere_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose address a project named, and the home remembers."""
    asked: list[str | None] = []

    class Listens(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.headers["authorization"])
            self.send_response(401)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Keep the tests' output clean."""

    monkeypatch.setenv("OCRLINE_TOKEN", "hush")
    with HTTPServer(("127.0.0.2", 0), Listens) as server:
        Thread(target=server.serve_forever).start()
        address = f"http://127.0.0.2:{server.server_port}"
        status._ask(Settings(), address)
        monkeypatch.setenv("OCRLINE_TOKEN_FOR", address)
        status._ask(Settings(), address)
        server.shutdown()

    assert asked == [None, "Bearer hush"]
