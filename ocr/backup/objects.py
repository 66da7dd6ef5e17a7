"""Objects of a store in an archive, and back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ocr.backup.contents import Contents
from ocr.backup.tar import Member
from ocr.backup.writing import ArchiveWriter
from ocr.errors import AliasMoved, ArtifactExists, ArtifactNotFound, BadData, StoreUnavailable
from ocr.retention.things import kind_of, prefix_of
from ocr.store.protocol import Entry, Store
from ocr.store.whole import FULL, fault_message

IN_MEMORY: Final = 8 << 20  # larger objects pass through in pieces of this


def copy_objects(store: Store, contents: Contents, writer: ArchiveWriter) -> Iterator[int]:
    """Copy what was chosen, yielding bytes; what somebody removes meanwhile is left out whole."""
    gone = set[str]()
    for entry in contents.things:
        if not _copy(store, entry, writer):
            gone.add(prefix_of(entry.key))
        yield entry.size
    for entry in contents.pointers:
        if prefix_of(entry.key) not in gone:
            _copy(store, entry, writer)
        yield entry.size
    for key, data in contents.aliases:
        writer.add(f"store/{key}", [data], size=len(data))
        yield len(data)


def restore_object(store: Store, key: str, member: Member, *, spool: Path) -> None:
    """Put an object back; one that is there with the same content stays.

    Args:
        store: Where to.
        key: Its key.
        member: Its content.
        spool: A path for a large one on its way.

    Raises:
        ArtifactExists: The key holds other content.
        BadData: It is an alias of a size that none has.
        StoreUnavailable: There is no room, in the store or for the large one on its way.
    """
    if kind_of(key) == "alias":
        _restore_alias(store, key, member)
    elif member.size <= IN_MEMORY:
        store.put_bytes(key, b"".join(member.pieces()))
    else:
        _spool(member, spool)
        store.put_file(key, spool)
        spool.unlink()


def _spool(member: Member, path: Path) -> None:
    try:
        with path.open("wb") as file:
            file.writelines(member.pieces())
    except OSError as error:
        if error.errno in FULL:
            raise StoreUnavailable(fault_message(error, target=str(path))) from error
        raise


def _copy(store: Store, entry: Entry, writer: ArchiveWriter) -> bool:
    """Copy an object; say whether it was still there."""
    try:
        first = store.read_start(entry.key, size=IN_MEMORY)
    except ArtifactNotFound:
        return False
    # A small one says its size itself: should it be one that is replaced, it may have grown.
    size = len(first) if len(first) < IN_MEMORY else entry.size
    pieces = _pieces(store, entry, first=first, size=size)
    writer.add(f"store/{entry.key}", pieces, size=size, modified=entry.modified)
    return True


def _pieces(store: Store, entry: Entry, *, first: bytes, size: int) -> Iterator[bytes]:
    yield first
    for offset in range(len(first), size, IN_MEMORY):
        yield store.read_range(entry.key, offset=offset, size=min(IN_MEMORY, size - offset))


def _restore_alias(store: Store, key: str, member: Member) -> None:
    if member.size > IN_MEMORY:
        raise BadData(f"The alias {key} has {member.size} bytes, which no alias has")
    data = b"".join(member.pieces())
    try:
        store.compare_and_swap(key, data, expected=None)
    except AliasMoved:
        if store.read_bytes(key) != data:
            raise ArtifactExists(f"{store.uri}/{key} points elsewhere already") from None
