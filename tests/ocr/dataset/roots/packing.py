"""A labelled folder, packed as other tools do."""

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path


def pack_tar(folder: Path, path: Path, *, inside: str = ".") -> Path:
    """All that is in a folder as a tar file, as `tar -cf path -C folder .` makes it."""
    with tarfile.open(path, "w") as tar:
        tar.add(folder, arcname=inside)
    return path


def write_tar(path: Path, members: Mapping[str, bytes], *, form: int = tarfile.PAX_FORMAT) -> Path:
    """A tar file of these files."""
    with tarfile.open(path, "w", format=form) as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path
