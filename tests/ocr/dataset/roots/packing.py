"""A labelled folder, packed as other tools do."""

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

import lmdb

from ocr.dataset.roots import StoreRoot
from ocr.store import open_store


def pack_tar(folder: Path, path: Path, *, inside: str = ".") -> Path:
    """All that is in a folder as a tar file, as `tar -cf path -C folder .` makes it."""
    with tarfile.open(path, "w") as tar:
        tar.add(folder, arcname=inside)
    return path


def write_tar(
    path: Path,
    members: Mapping[str, bytes],
    *,
    form: int = tarfile.PAX_FORMAT,
    encoding: str = "utf-8",
) -> Path:
    """A tar file of these files."""
    with tarfile.open(path, "w", format=form, encoding=encoding) as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def put_folder(folder: Path, root: StoreRoot) -> None:
    """All files of a folder as objects under a root."""
    store = open_store(root.uri, s3=root.s3)
    for file in folder.rglob("*"):
        if file.is_file() and not file.name.startswith("."):  # no key, to our store
            store.put_file(file.relative_to(folder).as_posix(), file)


def write_lmdb(folder: Path, rows: Mapping[bytes, str | bytes], **more: bytes) -> Path:
    """An LMDB file of lines, image to text, as PaddleOCR writes it; `more` replaces its entries."""
    entries: dict[bytes, bytes] = {b"num-samples": b"%d" % len(rows)}
    for number, (image, text) in enumerate(rows.items(), start=1):
        entries[b"image-%09d" % number] = image
        entries[b"label-%09d" % number] = text if isinstance(text, bytes) else text.encode()
    entries |= {key.replace("_", "-").encode(): value for key, value in more.items()}
    folder.mkdir(parents=True, exist_ok=True)
    with lmdb.open(str(folder), map_size=1 << 24) as opened, opened.begin(write=True) as writing:
        for key, value in entries.items():
            if value:
                writing.put(key, value)
    return folder
