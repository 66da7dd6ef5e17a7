"""What every root can do, and which one a path names."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Protocol

from ocr.dataset.roots.folder import FolderRoot
from ocr.dataset.roots.tar import TarRoot
from ocr.errors import ArtifactNotFound
from ocr.image.folder import FileStamp


class Images(Protocol):
    """The images of an opened root, by the paths that label rows name."""

    def read(self, image: str, *, max_pixels: int) -> bytes:
        """Read the encoded image.

        Args:
            image: Path relative to the root, with forward slashes.
            max_pixels: Largest image; a file is refused that no such image could need.

        Raises:
            BadImage: outside_root, missing_image or unreadable_image.
        """

    def exists(self, image: str) -> bool:
        """Tell whether there is anything of that name."""


class Root(Protocol):
    """Where label files and images are. It can be pickled, and opened by any process."""

    def images(self) -> AbstractContextManager[Images]:
        """Open the images."""

    def stamps(self) -> Callable[[str], FileStamp | None]:
        """Return what tells of an image, which is not opened, when it may have changed.

        None where nothing can be read; a root that is one file has one stamp for all.
        """

    def content(self) -> list[str]:
        """Return what decides all images at once, besides their names; empty: each by itself."""

    def list_files(self, folder: str) -> Iterator[str]:
        """Yield the names of the files in a folder of the root, relative to that folder.

        First its own, then those of the folders in it, each sorted; hidden ones are left out.
        """

    def has_folder(self, name: str) -> bool:
        """Tell whether there is a folder of that name."""

    def open_listed(self, name: str) -> BinaryIO:
        """Open a file where `list_files` found it, relative to the root.

        Raises:
            ArtifactNotFound: It is gone, or no plain file.
        """

    def open_file(self, name: str) -> BinaryIO:
        """Open a label file, which may also lie beside the root.

        Raises:
            ArtifactNotFound: There is none of that name.
        """


def find_root(path: Path, *, encoding: str = "utf-8") -> Root:
    """Return the root that a path names: a folder, a tar file, or a folder in one (`a.tar/b`).

    Args:
        path: What is named.
        encoding: Of the names in a tar file, where they are not all UTF-8.

    Raises:
        ArtifactNotFound: There is nothing.
    """
    if path.is_dir():
        return FolderRoot(path)
    for file in (path, *path.parents):
        if file.is_file():
            return TarRoot(file, path.relative_to(file).as_posix(), encoding)
    raise ArtifactNotFound(f"no folder and no tar file {path} (dataset.root)")
