"""Who gets the token of this machine."""

import pytest

from configs.settings import Settings
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
