"""The files in a folder of a root, in one order whatever the root is."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path

_MOST_LOOKED_AT = 1000
_ABOVE = re.compile(r"^(\.\./)+")
"""How a name begins that leads out of the root."""


def walk_folder(folder: Path) -> Iterator[str]:
    """Yield the names of the files in a folder of this machine, relative to it.

    First its own, then those of the folders in it, each sorted; hidden ones are left out, linked
    folders are not followed.
    """
    for place, _, files in _walk(folder):
        inner = place.relative_to(folder).as_posix()
        for name in sorted(files):
            if not name.startswith("."):
                yield name if inner == "." else f"{inner}/{name}"


def walk_links(folder: Path) -> Iterator[Path]:
    """Yield the linked folders that lead out of a folder, but not to one that it lies in."""
    top = folder.resolve()
    for place, folders, _ in _walk(folder):
        for link in filter(Path.is_symlink, map(place.joinpath, folders)):
            target = link.resolve()
            if not (target.is_relative_to(top) or top.is_relative_to(target)):
                yield link


def holds(folder: Path, is_meant: Callable[[str], bool]) -> bool:
    """Tell by its name whether a file lies in a folder or right below it, of a thousand entries.

    What is linked may be a whole disk: nobody waits until that has been searched.
    """
    entries = list(_glance(folder))
    below = chain.from_iterable(_glance(entry) for entry in entries)
    return any(is_meant(entry.name) for entry in islice(chain(entries, below), _MOST_LOOKED_AT))


def _glance(folder: "Path | os.DirEntry[str]") -> Iterator["os.DirEntry[str]"]:
    with suppress(OSError), os.scandir(folder) as entries:  # of a file there are none
        yield from islice(entries, _MOST_LOOKED_AT)


def _walk(folder: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield Path(place), folders, files


def walk_names(names: Iterable[str], folder: str) -> list[str]:
    """Return of all names of a root those in a folder, relative to it, as `walk_folder` does.

    What can be none of its files is there too (`/a.png`, `../a.png`, of a store `sub//a.png`):
    whoever reads it is told.

    Args:
        names: Written in one way, relative to the root.
        folder: Written in the same way; "." is the root.
    """
    start = "" if folder == "." else f"{folder}/"
    inner = {name.removeprefix(start) for name in names if name.startswith(start)}
    return sorted(filter(_is_shown, inner), key=_place)


def _is_shown(name: str) -> bool:
    parts = _ABOVE.sub("", name).split("/")
    return bool(parts[-1]) and not any(part.startswith(".") for part in parts)


def _place(name: str) -> list[tuple[bool, str]]:
    *folders, file = name.split("/")
    return [*((True, folder) for folder in folders), (False, file)]
