"""Names within a root that is no folder of this machine."""

import posixpath

from ocr.image.folder import shown_path
from ocr.image.pixels import BadImage


def inner_name(image: str, *, written: str = "") -> str:
    """Write a name that a label row gives in the one way that all its spellings lead to.

    Args:
        image: The name.
        written: How the row has it, for messages; empty: the same.

    Raises:
        BadImage: outside_root: it is absolute, or leaves the root.
    """
    shown = shown_path(written or image)
    if image.startswith("/"):
        raise BadImage("outside_root", f"{shown} is absolute, expected relative to the root")
    name = posixpath.normpath(image)
    if name == ".." or name.startswith("../"):
        raise BadImage("outside_root", f"{shown} leads out of the root")
    return name
