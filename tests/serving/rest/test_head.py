"""What monitors ask with HEAD, and servers with OPTIONS."""

import socket

import pytest

from tests.serving.gateway import Gateway


@pytest.mark.parametrize(
    "path", ["/", "/health", "/health/live", "/health/ready", "/v1/models", "/metrics"]
)
def test_head_is_answered_as_get_without_a_body(gateway: Gateway, path: str) -> None:
    counted = f'ocrline_requests_total{{method="HEAD",route="{path}",status="200"}}'
    before = gateway.metric(counted)

    head, get = gateway.http.head(path), gateway.get(path)

    assert (head.status_code, head.content) == (200, b"")
    assert int(head.headers["content-length"]) > 0
    assert head.headers["content-type"] == get.headers["content-type"]
    assert gateway.metric(counted) - before == 1


def test_head_of_what_only_reads_is_refused(gateway: Gateway) -> None:
    refused = gateway.http.head("/v1/recognize")

    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")


def test_options_of_everything_is_refused_as_any_path_that_there_is_not(gateway: Gateway) -> None:
    with socket.create_connection(("127.0.0.1", gateway.port)) as client:
        client.sendall(b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(65536), b""))

    assert answer.startswith(b"HTTP/1.1 4")
    assert b"x-request-id" in answer.lower()
    assert "Traceback" not in gateway.log.read_text()
