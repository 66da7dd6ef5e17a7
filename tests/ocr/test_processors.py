import os
from pathlib import Path

import pytest

from ocr.processors import count_processors

MINE = len(os.sched_getaffinity(0))


def tree(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


V2 = {"proc/self/cgroup": "0::/\n"}
NESTED = {"proc/self/cgroup": "0::/pods/one\n"}
V1 = {"proc/self/cgroup": "5:memory:/docker/7f\n3:cpu,cpuacct:/docker/7f\n"}
CPU = "sys/fs/cgroup/cpu"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, MINE),
        ({**V2}, MINE),
        ({**V2, "sys/fs/cgroup/cpu.max": "max 100000\n"}, MINE),
        ({**V2, "sys/fs/cgroup/cpu.max": "100000 100000\n"}, 1),
        ({**V2, "sys/fs/cgroup/cpu.max": "20000 100000\n"}, 1),
        ({**V2, "sys/fs/cgroup/cpu.max": "99900000 100000\n"}, MINE),
        ({**V2, "sys/fs/cgroup/cpu.max": "damaged\n"}, MINE),
        ({**NESTED, "sys/fs/cgroup/pods/cpu.max": "100000 100000\n"}, 1),
        ({**NESTED, "sys/fs/cgroup/pods/one/cpu.max": "100000 100000\n"}, 1),
        ({**NESTED, "sys/fs/cgroup/elsewhere/cpu.max": "100000 100000\n"}, MINE),
        ({**V1, f"{CPU}/cpu.cfs_quota_us": "-1\n", f"{CPU}/cpu.cfs_period_us": "100000\n"}, MINE),
        ({**V1, f"{CPU}/cpu.cfs_quota_us": "50000\n", f"{CPU}/cpu.cfs_period_us": "100000\n"}, 1),
        (
            {
                **V1,
                f"{CPU}/docker/7f/cpu.cfs_quota_us": "100000\n",
                f"{CPU}/docker/7f/cpu.cfs_period_us": "100000\n",
            },
            1,
        ),
    ],
)
def test_processors_are_those_that_may_be_used_and_are_paid_for(
    files: dict[str, str], expected: int, tmp_path: Path
) -> None:
    assert count_processors(tree(tmp_path, files)) == expected


def test_half_a_processor_more_counts_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)))

    root = tree(tmp_path, {**V2, "sys/fs/cgroup/cpu.max": "250000 100000\n"})

    assert count_processors(root) == 3
