"""Files that no compression or chance makes equal."""

import os
from pathlib import Path


def write_noise(path: Path, *, size: int) -> Path:
    """Fill a file with `size` random bytes."""
    path.write_bytes(os.urandom(size))
    return path
