"""What a decoder gives up before it sees a stranger's byte: memory, network, files.

Linux only; what the kernel refuses is left out and not claimed. The system calls are those of
unshare(2), prctl(2) and Landlock (https://docs.kernel.org/userspace-api/landlock.html).
"""

import contextlib
import ctypes
import os
import resource
import struct
from collections.abc import Sequence
from typing import Final

FONTS: Final = ("/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/X11/fonts")
"""A PDF that brings no fonts is drawn with those of the system."""
MOST_DESCRIPTORS: Final = 32
NO_NETWORK: Final = "no network"
NO_FILES: Final = "no file but fonts"

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_NO_NEW_PRIVILEGES = 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION, _PATH_BENEATH = 1, 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
_ALL_FILE_RIGHTS = (1 << 16) - 1
_TCP_SINCE, _TCP_RIGHTS = 4, 0b11


def confine(*, memory_bytes: int) -> tuple[str, ...]:
    """Give up what a decoder does not need; nothing of it can be had back.

    Args:
        memory_bytes: More can be asked for by no allocation.

    Returns:
        What holds now, for the log.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    limit_memory(memory_bytes)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_DESCRIPTORS, MOST_DESCRIPTORS))
    has_network = all(libc.unshare(flags) for flags in (_NEW_USER | _NEW_NETWORK, _NEW_NETWORK))
    landlock = _restrict_files(libc)
    facts = [f"at most {memory_bytes >> 20} MiB"]
    if not has_network:
        facts.append(NO_NETWORK)
    elif landlock >= _TCP_SINCE:
        facts.append("no TCP")
    if landlock:
        facts.append(NO_FILES)
    return tuple(facts)


def limit_memory(memory_bytes: int) -> None:
    """Let allocations fail beyond; shared libraries and shared memory do not count."""
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))


def _restrict_files(libc: ctypes.CDLL) -> int:
    """Allow no file but fonts, and no TCP; return the version of Landlock, 0 where there is none.

    Landlock also keeps the process from looking into others, its parent's environment included.
    """
    version = int(libc.syscall(_CREATE_RULESET, None, 0, _VERSION))
    if version < 1:
        return 0
    handled = struct.pack("QQ", _FILE_RIGHTS.get(version, _ALL_FILE_RIGHTS), _TCP_RIGHTS)
    size = len(handled) if version >= _TCP_SINCE else 8
    ruleset = libc.syscall(_CREATE_RULESET, handled, size, 0)
    if ruleset < 0:
        return 0
    try:
        _allow_reading(libc, ruleset, FONTS)
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        return 0 if libc.syscall(_RESTRICT_SELF, ruleset, 0) else version
    finally:
        os.close(ruleset)


def _allow_reading(libc: ctypes.CDLL, ruleset: int, folders: Sequence[str]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            opened = os.open(folder, os.O_PATH | os.O_CLOEXEC)
            rule = struct.pack("=Qi", _READ_FILE | _READ_DIR, opened)
            libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
            os.close(opened)
