"""LMDB files of lines, as PaddleOCR and the scene-text community write them.

`num-samples` says how many rows there are; `image-000000001` and `label-000000001` hold the first
(PaddleOCR's LMDBDataSet; create_lmdb_dataset.py of clovaai/deep-text-recognition-benchmark).
"""

import os
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import lmdb

from ocr.dataset.candidate import Row
from ocr.dataset.labels.encoding import SPACES, Encoding, OtherEncoding
from ocr.dataset.lines.label import LineLabel, LineRow
from ocr.dataset.quarantine import Rejection
from ocr.dataset.roots.listing import holds, walk_links
from ocr.dataset.roots.lmdb_root import DATA, open_lmdb
from ocr.dataset.roots.undecoded import NameKind, kind_of_name
from ocr.dataset.split import Split
from ocr.errors import ArtifactNotFound, BadData, BadInput

_COUNT = "num-samples"
_ROWS_AT_ONCE = 4096  # while other threads wait
_MAX_BYTES = 1 << 16
_WRITTEN_COUNT = re.compile(rb"0*(\d{1,18})")
_IMAGE = re.compile(rb"image-(\d{9})")


def find_lmdb(root: Path, name: str) -> list[tuple[str, Path]]:
    """Find the LMDB file in a folder, or all in the folders below it, as PaddleOCR does.

    Returns:
        Of each the path of its folder relative to the root, and where it is.

    Raises:
        ArtifactNotFound: There is none.
        BadInput: A linked folder, which is not followed, leads to others.
    """
    top = root / name
    folders = sorted(file.parent for file in top.rglob(DATA) if file.is_file())
    for link in walk_links(top):
        if holds(link, DATA.__eq__):
            raise BadInput(
                f"{link} is a link to {link.resolve()}, whose {DATA} is not read with those of "
                f"{top}: name each folder itself, one as the split's labels and the others in "
                "more_labels, or remove the link"
            )
    if not folders:
        raise ArtifactNotFound(f"no {DATA} in {top} or a folder in it")
    return [(Path(os.path.relpath(folder, root)).as_posix(), folder) for folder in folders]


def read_lmdb(
    folder: Path, *, name: str, place: str, encoding: Encoding, split: Split | None
) -> Iterator[LineRow | Rejection]:
    """Read the rows of an LMDB file, some thousand at a time.

    Args:
        folder: Folder of the file.
        name: Its name, for messages.
        place: Path of the folder that names of images begin with.
        encoding: Of the texts.
        split: Split its rows belong to; None where the preparation splits.

    Raises:
        OtherEncoding: Once the rows are out: its texts are UTF-8, and that is not what was said.
        BadData: It is damaged, no LMDB file of lines, or holds images that no row is of.
    """
    kinds = set[NameKind]()
    for start in count(1, _ROWS_AT_ONCE):
        with open_lmdb(folder) as found:
            rows = _count_rows(found, folder)
            numbers = range(start, min(start + _ROWS_AT_ONCE, rows + 1))
            labels = [_copy(found, f"label-{number:09}") for number in numbers]
        for number, label in zip(numbers, labels, strict=True):
            row = Row(
                f"{place}/image-{number:09}", LineLabel(""), split, "", name, f"{name}:{number}"
            )
            kinds.add(kind_of_name((label or b"").decode(errors="surrogateescape")))
            yield _with_text(row, label, encoding)
        if start + _ROWS_AT_ONCE > rows:
            break
    if encoding == "gb18030" and "UTF-8" in kinds and "other" not in kinds:
        raise OtherEncoding(f"the labels of {folder / DATA} are UTF-8, expected gb18030;", "utf-8")


def _count_rows(found: lmdb.Transaction, folder: Path) -> int:
    written, entries = _copy(found, _COUNT), found.stat()["entries"]
    match = _WRITTEN_COUNT.fullmatch(written or b"")
    rows = int(match[1]) if match else -1
    if not 0 <= rows <= entries:
        raise BadData(
            f"{folder / DATA}: {_COUNT} is {written!r:.60} among {entries} entries; expected "
            f"{_COUNT}, image-000000001, label-000000001 and so on, as PaddleOCR writes them"
        )
    for number in (0, rows + 1):
        _refuse_beyond(found, folder, number, rows=rows)
    return rows


def _refuse_beyond(found: lmdb.Transaction, folder: Path, number: int, *, rows: int) -> None:
    """Refuse images of a number, or of one above it, that are none of the rows'."""
    cursor = found.cursor()
    key = bytes(cursor.key()) if cursor.set_range(b"image-%09d" % number) else b""
    beyond = _IMAGE.fullmatch(key)
    if beyond and not 1 <= int(beyond[1]) <= rows:
        raise BadData(
            f"{folder / DATA} holds {key.decode()}, which is not read: rows are numbered from 1 to "
            f"{_COUNT}, which is {rows}; number them so and set {_COUNT} to the highest number"
        )


def _copy(found: lmdb.Transaction, key: str) -> bytes | None:
    content = found.get(key.encode())
    return None if content is None else bytes(content[:_MAX_BYTES])


def _with_text(row: LineRow, label: bytes | None, encoding: Encoding) -> LineRow | Rejection:
    if label is None:
        return row.reject("malformed_row", "there is no label of this number")
    try:
        text = label.decode(encoding).strip(SPACES)
    except UnicodeDecodeError as error:
        return row.reject("malformed_row", f"byte {error.start} is not {encoding}")
    row = row._replace(label=LineLabel(text))
    return row.reject("tab_in_text", f"{text.count(chr(9))} tabs") if "\t" in text else row
