"""A folder of this machine as a dataset's root."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from ocr.dataset.roots.listing import walk_folder
from ocr.dataset.roots.spelling import SpelledImages, find_spelling
from ocr.errors import ArtifactNotFound, BadInput
from ocr.image.folder import OPEN_FLAGS, FileStamp, ImageFolder, lies_within
from ocr.image.header import IMAGE_SUFFIXES
from ocr.image.pixels import BadImage

MOST_SHOWN = 300
MOST_LOOKED_AT = 1000
"""Files beside a label file that is not there."""


@dataclass(frozen=True)
class FolderRoot:
    """Images within one folder; label files may lie anywhere, as `../labels.txt`."""

    path: Path

    def images(self) -> AbstractContextManager[SpelledImages]:
        """Open the images."""
        return nullcontext(SpelledImages(ImageFolder(self.path)))

    def stamps(self) -> Callable[[str], FileStamp | None]:
        """Return what stamps an image: size and times of change of its file."""
        folder = ImageFolder(self.path)
        return lambda image: folder.stamp(image) or _stamp_spelling(image, folder)

    def content(self) -> list[str]:
        """Return nothing: every image decides for itself."""
        return []

    def list_files(self, folder: str) -> Iterator[str]:
        """Yield the names of the files in a folder, its own first."""
        return walk_folder(self.path / folder)

    def has_folder(self, name: str) -> bool:
        """Tell whether there is such a folder; it may be empty."""
        return (self.path / name).is_dir()

    def open_listed(self, name: str) -> BinaryIO:
        """Open a file where `list_files` found it.

        Raises:
            ArtifactNotFound: It is gone.
        """
        return self.open_file(name)

    def open_file(self, name: str) -> BinaryIO:
        """Open a label file.

        Raises:
            ArtifactNotFound: There is none of that name.
        """
        return open_beside(self.path, name)


def _stamp_spelling(image: str, folder: ImageFolder) -> FileStamp | None:
    if folder.exists(image):  # it may not be read, and no other is read instead
        return None
    try:
        name = find_spelling(image, exists=folder.exists)
    except BadImage:
        return None
    return folder.stamp(name) if name else None


def open_beside(folder: Path, name: str) -> BinaryIO:
    """Open a label file that is named relative to a folder of this machine.

    Raises:
        ArtifactNotFound: There is none of that name.
        BadInput: It is a link out of the folder that it is named in, or no plain file.
    """
    path = folder / name
    try:
        file = os.open(os.path.realpath(path), OPEN_FLAGS)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ArtifactNotFound(f"no label file {path}; {_say_where(path)}") from error
    except (OSError, ValueError) as error:  # a link to itself, a socket, a name that is none
        said = getattr(error, "strerror", None) or error
        raise BadInput(
            f"{str(path)[:MOST_SHOWN]!r} cannot be read as a label file: {said}"
        ) from None
    if not lies_within(file, os.path.realpath(_guarded(path, folder))):
        os.close(file)
        raise BadInput(f"{path} is a link that leads out of its folder: name the file itself")
    mode = os.fstat(file).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(file, "rb")
    os.close(file)
    if stat.S_ISDIR(mode):
        raise ArtifactNotFound(f"no label file {path}; {_say_where(path)}")
    raise BadInput(f"{path} is no plain file, and no label file")


def _guarded(path: Path, folder: Path) -> Path:
    """Return what no link of a label file may lead out of: the root, or a folder elsewhere.

    Who may write to a folder of labels is not to read by a link what the user of a run may.
    """
    written, root = (Path(os.path.normpath(Path.cwd() / each)) for each in (path, folder))
    return root if written.is_relative_to(root) and root != Path("/") else written.parent


def _say_where(path: Path) -> str:
    names = (each.name for each in islice(path.parent.glob("*"), MOST_LOOKED_AT))
    labels = sorted(name for name in names if not name.lower().endswith(IMAGE_SUFFIXES))
    alike = get_close_matches(path.name, labels, n=1)
    if alike:
        return f"did you mean {alike[0]}?"
    return "set the dataset's root to the folder that holds it, or its field to '' for none"
