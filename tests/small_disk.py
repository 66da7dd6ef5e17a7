"""A disk that a test can fill, without root: a small tmpfs in a namespace of its own."""

import subprocess
from pathlib import Path

import pytest

MOUNT = 'mkdir -p "$0" && mount -t tmpfs -o size="$1" tmpfs "$0" && shift && exec "$@"'


def small_disk(folder: Path, *, size_mb: int) -> list[str]:
    """Give the start of a command line whose rest sees a disk of `size_mb` at `folder`.

    Skips the test where the kernel or the container allows no such thing.
    """
    unshare = ["unshare", "--user", "--map-root-user", "--mount"]
    command = [*unshare, "sh", "-c", MOUNT, str(folder), f"{size_mb}m"]
    try:
        subprocess.run([*command, "true"], check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no user namespace with a disk of its own here: {error}")
    return command
