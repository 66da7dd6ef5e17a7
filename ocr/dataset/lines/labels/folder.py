"""A folder whose file names are the texts: `TEXT.jpg`, and `TEXT_2.jpg` for a further image.

A trailing underscore with up to four digits is a counter and no part of the text. Names are read
in NFC (some file systems hand back NFD). A text that a file name cannot hold ("/", a real trailing
"_7") needs a label file. Top-level folders named train, val and test give the split. Names that are
no UTF-8 are read as GBK where that is the encoding that was said.
"""

import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from ocr.dataset.candidate import Row
from ocr.dataset.labels.encoding import Encoding
from ocr.dataset.lines.label import LineLabel, LineRow
from ocr.dataset.quarantine import Rejection
from ocr.dataset.roots import FolderRoot, Root
from ocr.dataset.roots.listing import holds, walk_links
from ocr.dataset.roots.undecoded import RENAMING, NameKind, kind_of_name, read_name
from ocr.dataset.split import SPLITS, Split
from ocr.errors import BadData
from ocr.image.header import IMAGE_SUFFIXES

_ADVICE = f"set dataset.encoding=gb18030 if all are GBK, or rename them ({RENAMING})"
_LINKED = "a linked folder that leads out of the root: its images are not read, move it into it"
_COUNTER = re.compile(r"_\d{1,4}$")
_MEANT: dict[str, Split] = {
    "train": "train",
    "training": "train",
    "val": "val",
    "valid": "val",
    "validation": "val",
    "test": "test",
    "testing": "test",
}
"""What folders are called that hold a split, whatever the case of their letters."""


def list_folder(root: Root, *, encoding: Encoding) -> Iterator[LineRow | Rejection]:
    """List the images under a root in name order, texts from their names.

    Hidden files and files that are no images by suffix are left out; linked folders are not
    followed, and those of images out of the root are rejected.

    Args:
        root: Where the images are.
        encoding: Of the names that are not UTF-8.

    Raises:
        BadData: A folder is called as one that holds a split, but not as that is read.
    """
    given = given_splits(root)
    folders, names, tops = _kinds_of_parts(root.list_files("."))
    _refuse_misnamed(tops)
    if isinstance(root, FolderRoot):
        yield from _reject_links(root.path)
    is_mixed = not {"other", "either"}.isdisjoint(folders | names)
    known = set(root.list_files(".")) if is_mixed else set[str]()
    for listed in filter(_is_image, root.list_files(".")):
        *above, last = listed.split("/")
        read = [read_name(part, folders, is_said=encoding == "gb18030") for part in above]
        read.append(read_name(last, names, is_said=encoding == "gb18030"))
        image = "/".join(part for part, _ in read)
        place, _, name = image.rpartition("/")
        stem = os.path.splitext(name)[0]  # noqa: PTH122 - 200,000 times
        if image != listed and image in known:
            detail = "its name is GBK, and another file has it in UTF-8: rename one of them"
            yield Rejection("malformed_row", image, image, stem, detail)
        elif not all(is_sure for _, is_sure in read):
            detail = f"its name is no UTF-8, or may be either, here it is read as GBK: {_ADVICE}"
            yield Rejection("control_character", image, image, stem, detail)
        else:
            text = unicodedata.normalize("NFC", _COUNTER.sub("", stem)).strip()
            split = _split_of(image, given)
            yield Row(image, LineLabel(text), split, "", place or ".", image)


def _reject_links(folder: Path) -> Iterator[Rejection]:
    for link in walk_links(folder):
        if holds(link, _is_image):
            where = link.relative_to(folder).as_posix()
            yield Rejection("outside_root", where, where, "", _LINKED)


def given_splits(root: Root) -> tuple[Split, ...]:
    """The splits besides train that the root has a folder for."""
    return tuple(split for split in SPLITS if split != "train" and root.has_folder(split))


def _is_image(name: str) -> bool:
    return name.lower().endswith(IMAGE_SUFFIXES)


def _kinds_of_parts(names: Iterator[str]) -> tuple[set[NameKind], set[NameKind], set[str]]:
    """Return the kinds of folders' names, which may have been written otherwise, and of files'.

    And the names of top-level folders with images; that of those right in the root is empty.
    """
    folders, files, tops = set[NameKind](), set[NameKind](), set[str]()
    for name in filter(_is_image, names):
        *above, last = name.split("/")
        folders.update(map(kind_of_name, above))
        files.add(kind_of_name(last))
        tops.add(above[0] if above else "")
    return folders, files, tops


def _refuse_misnamed(tops: set[str]) -> None:
    """Refuse folders of splits that are not named as they are read: test images would be learnt.

    A single folder of such a name beside others may mean something else.
    """
    meant = {name: _MEANT[name.casefold()] for name in sorted(tops) if name.casefold() in _MEANT}
    misnamed = next((name for name, split in meant.items() if name != split), "")
    if misnamed and len(meant) + ("" in tops) > 1:
        raise BadData(
            f"the images in the folder {misnamed!r} of dataset.root would be split with all "
            f"others: name it {meant[misnamed]!r} if they are that split, else unlike one"
        )


def _split_of(image: str, given: tuple[Split, ...]) -> Split | None:
    return next((split for split in given if image.startswith(f"{split}/")), None)
