r"""Names that a label row spells otherwise than the root does, as `scans\1.png` of Windows."""

import posixpath
import re
import unicodedata
from collections.abc import Callable
from typing import Protocol

from ocr.dataset.roots.inner_name import inner_name
from ocr.dataset.roots.undecoded import gbk_spellings
from ocr.image.folder import LONGEST_PATH, find_path_excess, shown_path
from ocr.image.pixels import BadImage

_LONGEST_NAME = 255
"""Of a part of a path: no disk has longer ones."""
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


class ExactImages(Protocol):
    """Images by the names that they have in the root."""

    def read(self, image: str, *, max_pixels: int) -> bytes:
        """Read the encoded image; raises BadImage."""

    def exists(self, image: str) -> bool:
        """Tell whether there is anything of that name."""


class SpelledImages:
    """The images of a root by their own names, and by the spellings that lead to one of them."""

    def __init__(self, images: ExactImages) -> None:
        self._images = images

    def read(self, image: str, *, max_pixels: int) -> bytes:
        """Read the encoded image.

        Raises:
            BadImage: outside_root, missing_image or unreadable_image.
        """
        try:
            return self._images.read(image, max_pixels=max_pixels)
        except BadImage as error:
            if error.reason != "missing_image":
                raise
            name = find_spelling(image, exists=self._images.exists)
            if not name and (other := self._find_case(image)):
                detail = f"{error}, but {shown_path(other)} is there: write it in that case"
                raise BadImage("missing_image", detail) from None
            if not name:
                raise
        return self._images.read(name, max_pixels=max_pixels)

    def exists(self, image: str) -> bool:
        """Tell whether there is anything that the name leads to."""
        if self._images.exists(image):
            return True
        try:
            return bool(find_spelling(image, exists=self._images.exists))
        except BadImage:
            return False

    def _find_case(self, image: str) -> str:
        """Return the name with its suffix in the other case, as cameras write it; "": not there."""
        stem, suffix = posixpath.splitext(turn_slashes(image))
        other = stem + (suffix.upper() if suffix.islower() else suffix.lower())
        return other if suffix and self._images.exists(other) else ""


def turn_slashes(image: str) -> str:
    """Return a path with the slashes of Windows turned."""
    return image.replace("\\", "/")


def join_accents(image: str) -> str:
    """Return a path as most systems write it: letters and their accents joined.

    A path that is longer than any, or has a part that is, is returned as it is: what a part takes
    grows with its square.
    """
    if len(image) > LONGEST_PATH or max(map(len, image.split("/"))) > _LONGEST_NAME:
        return image
    return unicodedata.normalize("NFC", image)


def usual_name(image: str) -> str:
    """Return the one path of all spellings that lead to an image, for comparing alone."""
    return posixpath.normpath(join_accents(turn_slashes(image)))


def find_spelling(image: str, *, exists: Callable[[str], bool]) -> str:
    """Find what a name that is not there means.

    The slashes of Windows are turned; a Mac writes accents apart, where most write them joined; an
    archive of Windows unpacked elsewhere leaves names in GBK.

    Args:
        image: As a label row has it.
        exists: Whether there is a file of exactly that name.

    Returns:
        The name of the only file that is there; empty: none, or several are.

    Raises:
        BadImage: outside_root: as Windows reads it, it is absolute, or leaves the root.
    """
    if _DRIVE.match(image):
        detail = f"{shown_path(image)} is absolute, expected relative to the root"
        raise BadImage("outside_root", detail)
    name = turn_slashes(image)
    inner_name(name, written=image)
    if name != image and exists(name):
        return name
    if find_path_excess(name):
        return ""
    others = {join_accents(name), unicodedata.normalize("NFD", name), *gbk_spellings(name)}
    found = list(filter(exists, others - {name}))
    return found[0] if len(found) == 1 else ""
