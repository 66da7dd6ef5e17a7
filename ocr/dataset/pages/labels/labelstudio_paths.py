"""From the image reference of a Label Studio task to a path under the dataset's root.

A reference is an upload (`/data/upload/2/1a2b3c4d-page_1.png`, the hash being Label Studio's, the
rest cleaned of spaces and signs), a file of a local storage
(`/data/local-files/?d=scans/page.png`, of Windows `?d=scans%5Cpage.png`), a URL, or a path as
imported.
What a path is relative to may be the folder of the export, as where `ocrline annotate` made it.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from ocr.dataset.roots.spelling import join_accents
from ocr.dataset.roots.undecoded import read_path
from ocr.image.header import IMAGE_SUFFIXES

_FIRST_KEYS = ("image", "ocr")
_LONGEST = 4096  # characters of a URL: each of its folders makes a path of its own
_FOLDER_END = re.compile(r"[/\\]")
_UPLOADS = "/data/upload/"
"""Whose names begin with a hash: elsewhere `20240105-1.png` is the first of a day."""
_UPLOAD_HASH = re.compile(r"^[0-9a-f]{8}-")


class ImageFinder:
    """Finds the images of tasks under a root.

    Args:
        exists: Whether there is an image of a path relative to the root.
        list_files: Names of all files in the root, asked for at the first upload.
        folder: Path of the export's folder under the root.
    """

    def __init__(
        self,
        *,
        exists: Callable[[str], bool],
        list_files: Callable[[], Iterable[str]],
        folder: str = ".",
    ) -> None:
        self._exists, self._list_files = exists, list_files
        self._folder = PurePosixPath(folder)

    def find(self, data: object) -> list[str]:
        """Find the image of a task's `data`; several are files that it may be, none names none.

        The reference's path is tried as it is, then without its leading folders one by one, of
        each first in the folder of the export, whose images may be called as another's are. An
        upload is then any file of its own name, hash included, else any of the name that it had
        before Label Studio cleaned it: those right in the folder of the export, else those right
        in the root, else any. Where there is none of these, the first is returned.
        """
        written = _reference(data) if isinstance(data, Mapping) else ""
        if not written:
            return []
        candidates = list(_candidates(written))
        places = (place for each in candidates for place in self._places(each))
        found = next(filter(self._exists, places), "")
        if found or not _is_reference(written):
            return [found or written]
        name = candidates[-1]
        own = self._find_anywhere(name) if _UPLOADS in written else []
        original, hashes = _UPLOAD_HASH.subn("", name)
        return own or (self._find_anywhere(original) if hashes else []) or candidates[:1]

    def _places(self, path: str) -> Iterator[str]:
        if self._folder.parts:
            yield str(self._folder / path)
        yield path

    def _find_anywhere(self, uploaded: str) -> list[str]:
        """Find the files, wherever they lie, whose uploads would be called so."""
        names = self._uploads.get(_clean(join_accents(uploaded)), [])
        for folder in (self._folder, PurePosixPath()):
            if right_there := [each for each in names if PurePosixPath(each).parent == folder]:
                return right_there
        return names

    @cached_property
    def _uploads(self) -> dict[str, list[str]]:
        """Files of the root by the names that uploads of them have."""
        uploads = defaultdict(list)
        for path in map(read_path, self._list_files()):
            if path.startswith(("/", "../")) or "//" in path:  # listed, and nobody can read it
                continue
            name = path.rpartition("/")[2]
            for cleaned in {_clean(name), _clean(join_accents(name))}:
                uploads[cleaned].append(path)
        return uploads


def _reference(data: Mapping[str, Any]) -> str:
    strings = {key: value for key, value in data.items() if isinstance(value, str) and value}
    for key in _FIRST_KEYS:
        if key in strings:
            return strings[key]
    return next((s for s in strings.values() if s.lower().endswith(IMAGE_SUFFIXES)), "")


def _candidates(written: str) -> Iterator[str]:
    if not _is_reference(written) or len(written) > _LONGEST:
        yield written
        return
    try:
        parts = urlsplit(written)
    except ValueError:  # it is none, and no image has that name
        yield written
        return
    local = parse_qs(parts.query).get("d") if parts.path.endswith("/local-files/") else None
    path = (local[0] if local else unquote(parts.path)).lstrip("/")
    yield path
    for end in _FOLDER_END.finditer(path):
        yield path[end.end() :]


def _is_reference(written: str) -> bool:
    return "://" in written or written.startswith(("/data/", "data/local-files/"))


def _clean(name: str) -> str:
    """As Django's `get_valid_name`, through which Label Studio puts the name of an upload."""
    return re.sub(r"[^-\w.]", "", name.strip().replace(" ", "_"))
