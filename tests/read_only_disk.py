"""A folder on a disk that may only be read, without root: a mount in a namespace of its own."""

import subprocess
from pathlib import Path

import pytest

MOUNT = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'


def read_only_disk(folder: Path) -> list[str]:
    """Give the start of a command line whose rest may only read what is in `folder`.

    Skips the test where the kernel or the container allows no such thing.
    """
    unshare = ["unshare", "--user", "--map-root-user", "--mount"]
    command = [*unshare, "sh", "-c", MOUNT, str(folder)]
    try:
        subprocess.run([*command, "true"], check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no user namespace with a disk of its own here: {error}")
    return command
