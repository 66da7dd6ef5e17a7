"""One run of a flow, started by the worker: ``python -m deploy.engine``.

Prefect's engine looks for the flow, and for all that it imports, in the current folder first; a
``flows.py`` or ``yaml.py`` of the user would run instead of ours. So ours are imported before.
"""

import ctypes
import pkgutil
import runpy
import signal
from importlib import import_module
from threading import Event
from typing import Final
from uuid import UUID

import httpx
from prefect.client.orchestration import SyncPrefectClient
from prefect.concurrency import _leases
from prefect.exceptions import PrefectHTTPStatusError

import flows
from tasks.run.narration import log_refusals_plainly

PR_SET_PDEATHSIG = 1
AGAIN_S: Final = 5.0


def main() -> None:
    """Import every flow, then be Prefect's engine, for as long as there is a worker.

    A run that outlived its worker could not be cancelled. It gets SIGTERM (Linux), keeps its work
    and says that it crashed.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    for module in pkgutil.iter_modules(flows.__path__, "flows."):
        import_module(module.name)
    log_refusals_plainly()
    vars(_leases)["_renew_concurrency_lease_with_retries"] = renew_slot
    runpy.run_module("prefect.engine", run_name="__main__")


def renew_slot(
    client: SyncPrefectClient, lease_id: UUID, lease_duration: float, over: Event
) -> bool:
    """Renew a run's slot of its deployment until that is gone; return whether it was renewed.

    Prefect (3.8.8) ends a run without one within 225 s: one that waits for a person, for which its
    server takes the slot back, and one whose server was being started again at that moment. Two
    runs that train the same model take turns all the same, see `tasks.run.alone`.
    """
    while True:
        try:
            client.renew_concurrency_lease(lease_id=lease_id, lease_duration=lease_duration)
        except httpx.HTTPError as error:
            if isinstance(error, PrefectHTTPStatusError) and error.response.is_client_error:
                return False
        else:
            return True
        if over.wait(AGAIN_S):
            return False


if __name__ == "__main__":
    main()
