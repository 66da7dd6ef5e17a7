"""What somebody is told who moves a champion that another moved first."""

from typing import Final

from ocr.errors import AliasMoved
from ocr.models.alias import AliasState

ANY: Final = "*"  # as in If-Match: whatever the champion is


def check_expected(state: AliasState | None, *, name: str, expected: str | None) -> None:
    """Raise AliasMoved where the champion is not the version that is expected; None: nobody."""
    found = (state.version or None) if state else None
    if expected not in (ANY, found):
        said = f"The champion of {name!r} is {found or 'nobody'}, expected {expected or 'nobody'}"
        raise AliasMoved(f"{said}; run the same again, which compares with what is online now")


def moved_meanwhile(name: str) -> AliasMoved:
    """Say of a champion that it was moved between our read and our write."""
    return AliasMoved(
        f"The champion of {name!r} was moved meanwhile: look at `ocrline models show {name}`, and "
        "run the same again if it is still wanted"
    )
