"""Archives of a few files, made as ours are, or as an attacker makes them."""

import hashlib
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow as pa

from ocr.backup.head import HEAD, MANIFEST, Head, format_head
from ocr.backup.reading import ArchiveReader
from ocr.backup.tar import END, member_head, padding
from ocr.backup.writing import new_archive

FILES: Mapping[str, bytes] = {
    "store/models/plates/1/0/model.onnx": b"weights" * 1000,
    f"store/datasets/{'long-name' * 20}/images.tar": bytes(3_000_000),
    "store/empty/file.json": b"",
}


def head_of(files: Mapping[str, bytes], /, **said: int) -> Head:
    facts = {"files": len(files), "bytes": sum(map(len, files.values())), **said}
    return Head(**facts, release="0.1.0", created="2026-11-24", database="", secrets=False)


def write(path: Path, files: Mapping[str, bytes] = FILES) -> Path:
    """Write an archive of ours."""
    with new_archive(path, head_of(files)) as archive:
        for name, data in files.items():
            archive.add(name, [data], size=len(data))
    return path


def read(path: Path) -> dict[str, bytes]:
    """Verify an archive and return its files."""
    reader = ArchiveReader(path)
    verify(reader)
    return {member.name: b"".join(member.pieces()) for member in reader.members()}


def verify(reader: ArchiveReader) -> None:
    for _ in reader.verify(lambda name: None):
        pass


def forge(path: Path, members: Iterable[bytes], head: Head | None = None) -> Path:
    """Write members as they are, with a head before them and a true manifest after them."""
    body = b"".join([member(HEAD, format_head(head or head_of(FILES))), *members])
    with pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), "zstd") as stream:
        stream.write(body)
        stream.write(member(MANIFEST, _sums(body)) + END)
    return path


def member(name: str, data: bytes, *, kind: bytes = tarfile.REGTYPE, link: str = "") -> bytes:
    """Return a member of any kind."""
    if kind == tarfile.REGTYPE:
        return member_head(name, size=len(data), modified=0) + data + padding(len(data))
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, len(data)
    return info.tobuf(tarfile.GNU_FORMAT) + data + padding(len(data))


def _sums(body: bytes) -> bytes:
    lines, at = [], 0
    while at < len(body):
        info = tarfile.TarInfo.frombuf(body[at : at + 512], "utf-8", "strict")
        data = body[at + 512 : at + 512 + info.size]
        lines.append(f"{hashlib.sha256(data).hexdigest()}  {info.name}\n")
        at += 512 + info.size + -info.size % 512
    return "".join(lines).encode()
