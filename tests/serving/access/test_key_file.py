"""The file of keys: what is kept of one, and where."""

import os
from pathlib import Path

import pytest

from ocr.errors import BadInput
from serving.access.key_file import add_key, read_keys, revoke_key


def test_the_file_has_digests_and_is_for_its_owner(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    key = add_key(keys, name="orders", models=("receipts",), per_minute=60)

    assert key not in keys.read_text()
    assert len(key) > 40
    assert keys.stat().st_mode & 0o777 == 0o600
    (kept,) = read_keys(keys)
    assert (kept.name, kept.models, kept.per_minute) == ("orders", ("receipts",), 60)
    assert kept.mb_per_minute == 0


def test_a_link_stays_one_and_the_file_behind_it_is_written(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    keys.symlink_to("secrets/gateway.json")
    add_key(keys, name="orders")
    add_key(keys, name="other")

    revoke_key(keys, "orders")

    assert keys.is_symlink()
    assert [key.name for key in read_keys(keys.parent / "secrets/gateway.json")] == ["other"]


def test_the_file_stays_its_owners_and_its_groups(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    add_key(keys, name="orders")
    keys.chmod(0o640)
    if not os.geteuid():
        os.chown(keys, 65534, 65534)
    before = keys.stat()

    revoke_key(keys, "orders")

    after = keys.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )


def test_a_link_to_itself_is_no_file_of_keys(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    keys.symlink_to(keys)

    with pytest.raises(BadInput, match="is no file of API keys"):
        add_key(keys, name="orders")
    with pytest.raises(BadInput, match="is no file of API keys"):
        revoke_key(keys, "orders")
