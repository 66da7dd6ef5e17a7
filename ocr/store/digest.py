"""The one rule for keys: the digest under which what a stage made is found again.

In a key is all that decides what the stage makes, and nothing else:

1. its inputs: the digest of their content, or the key of what another stage made, which says all
   that decided it; never a path, a time or a name that somebody may reuse;
2. its parameters, but those that only say how the work is done;
3. the stage's generation, and the release of this project;
4. the versions of the libraries that decide the bytes (`ocr.store.stages` names both).

So whatever changes one of them makes the result anew, and all else finds it.
"""

import hashlib
import json
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ocr.store.stages import STAGES, StageName


def stage_key(stage: StageName, *, packages: Sequence[str] = (), **inputs: Any) -> str:
    """Return the SHA-256 that names what a stage makes of its inputs.

    Args:
        stage: Who makes it.
        packages: Further packages that decide this one result, as a baseline does.
        inputs: Digests and parameters, of types that JSON knows.
    """
    key = {
        "stage": stage,
        "generation": STAGES[stage].generation,
        "release": version("ocrline"),
        "libraries": library_versions(stage, *packages),
        "inputs": inputs,
    }
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()


def library_versions(stage: StageName, *packages: str) -> dict[str, str]:
    """Return the versions of a stage's libraries, and of further packages; empty: not installed."""
    return {name: _version(name) for name in (*STAGES[stage].libraries, *packages)}


def _version(package: str) -> str:
    """Return the version of a package without importing it; empty where there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
