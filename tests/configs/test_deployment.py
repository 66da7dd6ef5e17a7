"""Where a project may say that its gateway is."""

import pytest

from configs.presets import ConfigError, load_params

ENDPOINTS = [
    "http://bob:hush@127.0.0.1:8992",
    "http://bob:hush@127.0.0.1:8992/v1",
    "http://bob:hu/sh@gateway.example",
    "bob:hush@127.0.0.1:8992",
]


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_of_a_gateways_address_with_a_password_the_fix_is_said_and_no_password_shown(
    endpoint: str,
) -> None:
    with pytest.raises(ConfigError) as refusal:
        load_params("smoke", overrides=[f"deployment.endpoint={endpoint}"])

    place = endpoint.rpartition("@")[2]
    assert str(refusal.value).startswith(
        f"deployment.endpoint: '…@{place}' is not allowed; expected http://HOST:PORT or "
        "https://HOST:PORT without user, password and path"
    )
    assert "bob" not in str(refusal.value)


@pytest.mark.parametrize("endpoint", ["", "http://127.0.0.1:8992", "https://[::1]", "http://a.b"])
def test_a_gateways_address_is_taken_as_it_is(endpoint: str) -> None:
    given = [f"deployment.endpoint='{endpoint}'"]

    assert load_params("smoke", overrides=given).deployment.endpoint == endpoint
