"""What our own layers refuse, as clients of other servers expect it."""

from typing import Any

import pytest

from tests.serving.gateway import Gateway


def told(path: str, answer: dict[str, Any]) -> tuple[int, str]:
    """Return number and message of an error, as clients of this path look for them."""
    if path == "/ocr":
        assert answer["logId"]
        return answer["errorCode"], answer["errorMsg"]
    assert (answer["key"], answer["value"], answer["tensors"]) == ([], [], [])
    return answer["err_no"], answer["err_msg"]


@pytest.mark.parametrize(("path", "number"), [("/ocr", 415), ("/pages/prediction", 9)])
def test_a_compressed_body_is_refused(page_gateway: Gateway, path: str, number: int) -> None:
    reply = page_gateway.post(path, content=b"-", headers={"content-encoding": "br"})

    assert reply.status_code == 415
    found, message = told(path, reply.json())
    assert found == number
    assert "Content-Encoding 'br'" in message
