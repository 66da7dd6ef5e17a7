"""One run of a flow, started by the worker: ``python -m deploy.engine``.

Prefect's engine looks for the flow, and for all that it imports, in the current folder first; a
``flows.py`` or ``yaml.py`` of the user would run instead of ours. So ours are imported before.
"""

import ctypes
import pkgutil
import runpy
import signal
from importlib import import_module

import flows

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Import every flow, then be Prefect's engine, for as long as there is a worker.

    A run that outlived its worker could not be cancelled. It gets SIGTERM (Linux), keeps its work
    and says that it crashed.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    for module in pkgutil.iter_modules(flows.__path__, "flows."):
        import_module(module.name)
    runpy.run_module("prefect.engine", run_name="__main__")


if __name__ == "__main__":
    main()
