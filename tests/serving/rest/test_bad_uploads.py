import pytest

from tests.serving.gateway import Gateway
from tests.serving.rest.bad_uploads import CASES, PNG, Outcome, describe, raw


@pytest.mark.parametrize("case", CASES)
def test_bad_upload_gets_what_it_should(page_gateway: Gateway, case: str) -> None:
    send, expected = CASES[case]

    reply = send(page_gateway)

    assert Outcome(case, expected, describe(reply)).is_right, describe(reply)
    assert "Traceback" not in page_gateway.log.read_text()
    assert str(page_gateway.log.parent) not in reply.text
    assert describe(raw(PNG)(page_gateway)) == "200 2026 | 31415"  # and the gateway goes on


def test_bad_page_names_its_index(page_gateway: Gateway) -> None:
    error = CASES["TIFF whose second page is huge"][0](page_gateway).json()["error"]

    assert error["index"] == 1
    assert error["message"].startswith("Page 2: 1500x1500 pixels")
