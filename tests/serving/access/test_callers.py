"""Whether anybody may ask: as long as nobody ever had to say who asks."""

from pathlib import Path

from serving.access.callers import Callers
from serving.access.key_file import add_key, revoke_key


def test_without_token_and_keys_anybody_may_ask_where_that_is_allowed(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"

    assert Callers(token="", keys=keys).find("") is not None
    assert Callers(token="", keys=keys, is_open=False).find("") is None
    assert Callers(token="secret", keys=keys).find("") is None


def test_a_gateway_started_again_after_the_last_key_is_gone_still_asks_everybody(
    tmp_path: Path,
) -> None:
    keys = tmp_path / "keys.json"
    add_key(keys, name="boss")
    revoke_key(keys, "boss")

    assert Callers(token="", keys=keys).find("") is None

    keys.unlink()

    assert Callers(token="", keys=keys).find("") is not None
