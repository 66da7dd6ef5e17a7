"""The local stack as a whole: brought up part by part, brought down without a trace."""

import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import httpx
import psutil

from configs.settings import Settings
from deploy.api import PrefectApi
from deploy.background import ServiceFailed, find_service
from deploy.keys import require_keys
from deploy.parts import minio, server
from deploy.password import read_private
from deploy.ports import is_of_other_store
from deploy.runs import POOL, drain, name_runs_of_terminals, set_paused
from deploy.services import (
    KEEPER,
    WORKER,
    ensure_gateways,
    ensure_keeper,
    ensure_remembered_gateway,
    ensure_server,
    ensure_store,
    ensure_worker,
    find_at_the_store,
    password_file,
    remember_endpoint,
    services_folder,
    stop_services,
    take_turn,
)
from ocr.machine.owner import find_owner

WORKER_S = 180
"""Most seconds until the worker takes runs; it imports every flow first."""
POLL_S = 0.5
DRAINING = "draining"
"""Stands beside the services while `down` has the pool paused."""


def bring_up(settings: Settings, endpoint: str = "") -> Iterator[str]:
    """Start, reuse or replace every part; yield the name of each before it is waited for.

    Args:
        settings: Of this machine.
        endpoint: Where the gateway is from now on; empty: where it was.

    Raises:
        BadInput: No store can be opened as the settings say.
        StoreRefused: What runs works with the store, which does not take the settings' keys.
        ServiceFailed: What runs works with another store, or a part did not come up; those before
            it stay.
    """
    if "PREFECT_API_URL" in os.environ:
        raise ServiceFailed(
            f"PREFECT_API_URL={os.environ['PREFECT_API_URL']} names a Prefect server; unset it, "
            "and ocrline starts its own"
        )
    with take_turn(settings):
        _refuse_other_store(settings)
        if endpoint:
            remember_endpoint(settings, endpoint)
        # It would bring back what is replaced here, as it was.
        is_kept = bool(stop_services(settings, only=KEEPER))
        try:
            yield "store"
            ensure_store(settings)
            yield "Prefect"
            service = ensure_server(settings, replaces=True)
            _end_draining(settings, service.url)
            yield "gateway"
            ensure_remembered_gateway(settings, replaces=True)
            ensure_gateways(settings, replaces=True)
            yield "worker"
            ensure_worker(settings, service.url, replaces=True)
            _wait_for_worker(settings, service.url)
            yield "keeper"
            is_kept = True
        finally:
            if is_kept:
                ensure_keeper(settings)


def bring_down(settings: Settings, narrate: Callable[[str], None]) -> list[str]:
    """Tell runs to stop, wait until they have kept their work, then stop every part.

    Returns:
        The names of what was running.
    """
    folder = services_folder(settings)
    prefect, worker = find_service(folder, server.NAME), find_service(folder, WORKER)
    stopped = stop_services(settings, only=KEEPER)  # it would bring back what is stopped here
    if prefect is None or worker is None:
        return [*stopped, *stop_services(settings)]
    api = PrefectApi(prefect.url, read_private(password_file(settings)))
    try:
        name_runs_of_terminals(api, narrate)
        (folder / DRAINING).touch()
        drain(api, narrate)
        stopped += stop_services(settings, only=WORKER)
        _end_draining(settings, prefect.url)  # what is due begins at the next start
    except httpx.HTTPError as error:
        narrate(f"Prefect's server does not answer, so runs are ended as they are: {error}")
    finally:
        api.close()
    return [*stopped, *stop_services(settings)]


def _refuse_other_store(settings: Settings) -> None:
    """Refuse to start beside what works with another store: what ends would come back with ours."""
    folder = services_folder(settings)
    running = find_at_the_store(settings)
    if running:
        require_keys(settings)
    for name in running:
        service = find_service(folder, name)
        owner = find_owner(service.pid) if service else None
        if owner and is_of_other_store(owner, settings):
            is_ours = minio.is_store(folder, store=owner.store, endpoint=owner.s3_endpoint)
            told = "ocrline up without OCRLINE_STORE and --store" if is_ours else owner.told
            raise ServiceFailed(
                f"{name} works with another store, {owner}; the store here is {settings.store}. "
                f"{told} names that one; or ocrline down first"
            )


def _end_draining(settings: Settings, url: str) -> None:
    """Let runs begin again, if it was `down` that paused them, be it one that was interrupted."""
    mark = services_folder(settings) / DRAINING
    if not mark.exists():
        return
    api = PrefectApi(url, read_private(password_file(settings)))
    try:
        set_paused(api, False)
    finally:
        api.close()
    mark.unlink()


def _wait_for_worker(settings: Settings, url: str) -> None:
    """Wait until the worker of this start has told Prefect's server that it is there."""
    folder = services_folder(settings)
    found = find_service(folder, WORKER)
    api = PrefectApi(url, read_private(password_file(settings)))
    deadline = time.monotonic() + WORKER_S
    try:
        while found and time.monotonic() < deadline:
            since = datetime.fromtimestamp(psutil.boot_time() + found.started, UTC)
            if any(_seen(each) >= since for each in _workers(api)):
                return
            time.sleep(POLL_S)
            found = find_service(folder, WORKER)
    finally:
        api.close()
    raise ServiceFailed(f"the worker did not come up; see {folder / f'{WORKER}.log'}")


def _workers(api: PrefectApi) -> list[dict[str, Any]]:
    if not api.post("/work_pools/filter", {"work_pools": {"name": {"any_": [POOL]}}}):
        return []
    return list(api.post(f"/work_pools/{POOL}/workers/filter", {}))


def _seen(worker: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(worker["last_heartbeat_time"])
