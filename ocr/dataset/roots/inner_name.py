"""Names within a root that is no folder of this machine."""

import posixpath

from ocr.image.pixels import BadImage


def inner_name(image: str) -> str:
    """Write a name that a label row gives in the one way that all its spellings lead to.

    Raises:
        BadImage: outside_root: it is absolute, or leaves the root.
    """
    if image.startswith("/"):
        raise BadImage("outside_root", f"{image!r} is absolute, expected relative to the root")
    name = posixpath.normpath(image)
    if name == ".." or name.startswith("../"):
        raise BadImage("outside_root", f"{image!r} leads out of the root")
    return name
