"""Brings back what ended of the local stack: ``python -m deploy.keeper``, started by `ocrline up`.

An unattended machine recovers by itself: a server, worker, gateway or MinIO that died is started
again with the environment that `ocrline up` had. `ocrline down` stops this first. Their logs are
kept from growing without end.
"""

import os
import shutil
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from configs.settings import Settings
from deploy.background import find_service, recall_service
from deploy.parts import minio, server
from deploy.services import (
    GATEWAYS,
    KEEPER,
    WORKER,
    ensure_gateways,
    ensure_server,
    ensure_store,
    ensure_worker,
    services_folder,
)

LOOK_S = 2
MOST_PAUSE_S = 60
MOST_LOG_BYTES = 32 * 2**20


def main() -> None:
    """Look for the dead until a signal ends this, or the home is not where it was any more."""
    settings, pause, told = Settings(), LOOK_S, frozenset[str]()
    folder = services_folder(settings)  # which would be made again
    while True:
        time.sleep(pause)
        try:
            if not is_ours(folder):
                say(
                    f"{settings.home} does not know this keeper any more: it was moved or removed, "
                    "and nothing of it is kept; `ocrline up` where it is now starts another keeper"
                )
                return
            look(settings)
            left = cut_logs(folder)
            for each in sorted(left - told):
                say(each)
            pause, told = LOOK_S, left
        except Exception as error:  # noqa: BLE001 - nobody keeps the keeper: a full disk has an end
            say(f"{type(error).__name__}: {error}")
            pause = min(2 * pause, MOST_PAUSE_S)


def is_ours(folder: Path) -> bool:
    """Say whether a folder remembers this process as its keeper."""
    remembered = recall_service(folder, KEEPER)
    return remembered is not None and remembered.pid == os.getpid()


def look(settings: Settings) -> None:
    """Bring back what has ended, if anything has."""
    dead = find_dead(services_folder(settings))
    if dead:
        say(f"ended: {', '.join(dead)}")
        bring_back(settings)
        missing = find_dead(services_folder(settings))
        say(f"still ended: {', '.join(missing)}" if missing else "all is up again")


def find_dead(folder: Path) -> list[str]:
    """Return the names of services that were started here and have ended by themselves."""
    gateways = sorted(path.stem for path in folder.glob(f"{GATEWAYS}.json"))
    names = (minio.NAME, server.NAME, *gateways, WORKER)
    started = [name for name in names if recall_service(folder, name)]
    return [name for name in started if find_service(folder, name) is None]


def bring_back(settings: Settings) -> None:
    """Start what is missing, in the order in which one needs the other.

    Raises:
        ServiceFailed: One did not come up.
    """
    ensure_store(settings)
    service = ensure_server(settings)
    ensure_gateways(settings)
    ensure_worker(settings, service.url)


def cut_logs(folder: Path) -> frozenset[str]:
    """Empty each log that has grown long; what it said stays beside it as ``NAME.log.1``.

    It is copied, as what writes to it has it open and goes on; what is written between is lost. So
    is all that it said where there is no room for the copy.

    Returns:
        What could not be emptied, and why; it keeps none of the others from it.
    """
    left = set()
    for log in folder.glob("*.log"):
        try:
            _cut(log)
        except OSError as error:
            left.add(f"{log.name} is not kept from growing: {error}")
    return frozenset(left)


def _cut(log: Path) -> None:
    if log.stat().st_size > MOST_LOG_BYTES:
        before = log.with_name(f"{log.name}.1")
        try:
            shutil.copy(log, before)
        except OSError:
            before.unlink(missing_ok=True)
        os.truncate(log, 0)


def say(text: str) -> None:
    """Write a line to the log, if there is room for one."""
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    with suppress(OSError):
        print(f"{now} {text}", flush=True)  # noqa: T201 - it is the log


if __name__ == "__main__":
    main()
