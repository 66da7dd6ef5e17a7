"""The processors of this machine: how many we may use, what they are, how busy."""

import math
import os
import platform
from collections.abc import Iterator
from pathlib import Path

_QUOTA = "cpu.cfs_quota_us"
_PERIOD = "cpu.cfs_period_us"


def count_processors(root: Path = Path("/")) -> int:
    """Count the processors that the process may run on, and those that its cgroups pay for.

    A container's limit is a share of time, not a set of processors: on a machine of 64, two workers
    for each of 2 processors paid for wait for each other. A fraction counts as a whole processor.

    Args:
        root: Where /proc and /sys stand.
    """
    return max(1, min([len(os.sched_getaffinity(0)), *_quotas(root)]))


def describe_processors() -> str:
    """Name the processors, how many of them we may use, and how busy they are."""
    load, _, _ = os.getloadavg()
    name = name_processor() or "unknown processor"
    return f"{name}, {count_processors()} processors, load {load:.1f}"


def name_processor(info: Path = Path("/proc/cpuinfo")) -> str:
    """Return the model of the processors; empty where nobody knows it."""
    text = info.read_text(encoding="utf-8", errors="replace") if info.is_file() else ""
    for line in text.splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def _quotas(root: Path) -> Iterator[int]:
    """Yield the limit of each cgroup that the process is in, and of those around them."""
    try:
        memberships = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:  # no Linux, or no cgroups
        return
    for membership in memberships:
        _, controllers, path = membership.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        mounted = root / "sys/fs/cgroup" / ("cpu" if controllers else "")
        group = mounted / path.lstrip("/")
        for folder in (group, *group.parents):  # a container sees its own group as the mounted one
            if folder.is_relative_to(mounted):
                yield from _quota(folder)


def _quota(group: Path) -> Iterator[int]:
    """Yield the limit of one group, of version 2 or 1, if it has one."""
    try:
        if (group / "cpu.max").exists():
            quota, period = (group / "cpu.max").read_text(encoding="ascii").split()
        else:
            quota, period = (
                (group / name).read_text(encoding="ascii").strip() for name in (_QUOTA, _PERIOD)
            )
    except (OSError, ValueError):
        return
    if quota not in ("max", "-1"):
        yield math.ceil(int(quota) / int(period))
