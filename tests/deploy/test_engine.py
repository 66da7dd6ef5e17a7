"""A run keeps going when its deployment's slot is gone."""

import time
from pathlib import Path
from threading import Event
from typing import Any, cast
from uuid import uuid4

import httpx
import pytest
from prefect.client.orchestration import SyncPrefectClient
from prefect.concurrency import _leases

from deploy import engine
from tests.tasks.prefect_server import running_server


def test_a_run_whose_slot_was_taken_back_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runpy.run_module", lambda *_, **__: None)
    for name in ("_RENEWAL_RETRY_BASE_DELAY", "_RENEWAL_RETRY_MAX_DELAY"):
        monkeypatch.setattr(_leases, name, 0.01)
    theirs = _leases._renew_concurrency_lease_with_retries
    monkeypatch.setattr(_leases, "_renew_concurrency_lease_with_retries", theirs)
    engine.main()

    went_on = False
    with (
        running_server(tmp_path / "prefect"),
        _leases.maintain_concurrency_lease(uuid4(), 60.0, raise_on_lease_renewal_failure=True),
    ):
        time.sleep(2)
        went_on = True

    assert went_on


def test_a_server_that_is_away_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "AGAIN_S", 0.0)
    asked: list[str] = []

    class Client:
        def renew_concurrency_lease(self, **_: Any) -> None:
            asked.append("asked")
            if len(asked) < 3:
                raise httpx.ConnectError("away")

    is_renewed = engine.renew_slot(cast(SyncPrefectClient, Client()), uuid4(), 300, Event())

    assert (is_renewed, len(asked)) == (True, 3)


def test_a_run_that_has_ended_asks_no_more() -> None:
    over = Event()
    over.set()

    class Client:
        def renew_concurrency_lease(self, **_: Any) -> None:
            raise httpx.ConnectError("away")

    assert not engine.renew_slot(cast(SyncPrefectClient, Client()), uuid4(), 300, over)
