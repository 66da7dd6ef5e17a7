"""Wrong keys: refused by the server, and the message names the key but never the secret.

Only MinIO is asked: moto accepts every key.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ocr.errors import StoreRefused, StoreUnavailable
from ocr.store import S3Credentials, open_store
from tests.ocr.store.test_s3_faults import Answer, canned_server

KEY = "models/plates/v1/card.md"


@pytest.mark.parametrize("is_known", [True, False], ids=["wrong-secret", "unknown-key"])
def test_wrong_keys_are_refused_by_name(
    minio_server: S3Credentials, tmp_path: Path, is_known: bool
) -> None:
    access_key = minio_server.access_key if is_known else "somebody-else"
    keys = replace(minio_server, access_key=access_key, secret_key="not-the-secret")
    store = open_store("s3://ocrline-authentication/tests", s3=keys)
    (tmp_path / "card.md").write_bytes(b"x")
    uses: list[Callable[[], object]] = [
        lambda: store.put_bytes(KEY, b"x"),
        lambda: store.put_file(KEY, tmp_path / "card.md"),
        lambda: store.read_bytes(KEY),
        lambda: store.exists(KEY),
        lambda: list(store.list("")),
        lambda: store.compare_and_swap(KEY, b"x", expected=None),
    ]

    for use in uses:
        with pytest.raises(StoreUnavailable) as failure:
            use()

        assert f"refuses access key {keys.access_key!r}" in str(failure.value)
        assert keys.secret_key not in str(failure.value)


@pytest.mark.parametrize(
    ("code", "mends"),
    [("AccessDenied", "let its policy allow it"), ("RequestTimeTooSkewed", "set the clock")],
)
def test_a_key_that_is_right_is_not_said_to_be_wrong(code: str, mends: str) -> None:
    denied = Answer(403, f"<Error><Code>{code}</Code></Error>".encode(), "application/xml")
    with canned_server({"PUT": denied}) as endpoint:
        store = open_store("s3://bucket", s3=S3Credentials(endpoint, "reader", "hush-hush"))

        with pytest.raises(StoreRefused, match=f"{code}.*{mends}"):
            store.put_bytes(KEY, b"x")
