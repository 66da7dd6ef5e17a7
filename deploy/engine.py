"""One run of a flow, started by the worker: ``python -m deploy.engine``.

Prefect's engine looks for the flow, and for all that it imports, in the current folder first; a
``flows.py`` or ``yaml.py`` of the user would run instead of ours. So ours are imported before.
"""

import pkgutil
import runpy
from importlib import import_module

import flows


def main() -> None:
    """Import every flow, then be Prefect's engine."""
    for module in pkgutil.iter_modules(flows.__path__, "flows."):
        import_module(module.name)
    runpy.run_module("prefect.engine", run_name="__main__")


if __name__ == "__main__":
    main()
