"""The digest that names what a stage made: the same inputs are found again under it."""

import hashlib
import json
from importlib.metadata import version
from typing import Any, Final

# Raise it when a stage makes something else of the same inputs: what it made before is then old.
GENERATION: Final = 4


def content_digest(**inputs: Any) -> str:
    """Return the SHA-256 that names a result: of its inputs and of the release that made it."""
    inputs["made_by"] = f"ocrline {version('ocrline')}, generation {GENERATION}"
    canonical = json.dumps(inputs, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()
