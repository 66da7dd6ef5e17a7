"""Whether anybody may ask: as long as nobody ever had to say who asks."""

import logging
from pathlib import Path

import pytest

from serving.access import callers as module
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


def test_a_key_that_was_revoked_while_the_file_could_not_be_read_works_no_longer_than_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    keys = tmp_path / "keys.json"
    asked = [f"Bearer {add_key(keys, name=name)}" for name in ("orders", "other")]
    callers = Callers(token="", keys=keys)
    monkeypatch.setattr(module, "LOOK_S", 0)
    revoke_key(keys, "orders")
    real = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path == keys:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    with monkeypatch.context() as unreadable, caplog.at_level(logging.ERROR):
        unreadable.setattr(Path, "read_bytes", refuse)
        while_unreadable = [callers.find(each) is not None for each in asked for _ in range(3)]
    after = [callers.find(each) is not None for each in asked]

    assert while_unreadable == [True] * 6
    assert after == [False, True]
    assert caplog.text.count("Permission denied") == 1
    assert "the keys of before stay until it can be read" in caplog.text
