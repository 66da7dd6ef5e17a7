"""What a worker could not do, from its process to the gateway's."""

from collections.abc import Mapping
from typing import Any, Final, get_args

from ocr.errors import BadData, BadInput, OcrError, ParityFailed, ProcessDied
from ocr.image.pixels import BadImage, ImageFault

MOST_CHARACTERS: Final = 4000
"""Of what is said: a message has an end."""
KINDS: Final[Mapping[str, type[OcrError]]] = {
    kind.__name__: kind for kind in (BadData, BadInput, ParityFailed, ProcessDied)
}


class WorkerFailed(RuntimeError):
    """A worker has a fault of ours, or an engine one of its own."""


def describe_fault(error: Exception) -> dict[str, str]:
    """Return an error as it is sent."""
    if isinstance(error, BadImage):
        return {"kind": "BadImage", "reason": error.reason, "message": str(error)}
    kinds = (kind for kind, known in KINDS.items() if isinstance(error, known))
    kind = next(kinds, "BadData" if isinstance(error, OcrError) else "")
    return {"kind": kind, "message": str(error)[:MOST_CHARACTERS] if kind else type(error).__name__}


def to_error(fault: Mapping[str, Any]) -> Exception:
    """Make the error of a fault that was received."""
    kind, message = str(fault.get("kind")), str(fault.get("message"))
    if kind == "BadImage":
        for reason in get_args(ImageFault):
            if fault.get("reason") == reason:
                return BadImage(reason, message)
    return KINDS[kind](message) if kind in KINDS else WorkerFailed(message)
