"""Free memory by /proc, cgroups and nvidia-smi of machines that are files."""

from pathlib import Path

import pytest

from ocr.errors import BadInput
from ocr.machine.machine import Machine
from ocr.machine.memory import MEBIBYTE, free_memory_mib, gpu_memory_mib

MEMORY = "MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n"


def machine(root: Path, files: dict[str, str]) -> Machine:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return Machine(environment={"PATH": str(root)}, root=root)


def group(folder: str, *, limit: str, used: int, reclaimable: int) -> dict[str, str]:
    stat = f"anon 1\ninactive_file {reclaimable * MEBIBYTE}\n"
    files = {"memory.max": limit, "memory.current": f"{used * MEBIBYTE}", "memory.stat": stat}
    return {f"sys/fs/cgroup/{folder}{name}": text for name, text in files.items()}


def test_without_a_limit_all_that_is_available_is_free(tmp_path: Path) -> None:
    files = {"proc/meminfo": MEMORY, "proc/self/cgroup": "0::/a/b\n"}
    files |= group("a/b/", limit="max", used=100, reclaimable=0)

    assert free_memory_mib(machine(tmp_path, files)) == 8192


def test_the_tightest_group_counts_without_what_the_kernel_would_give_up(tmp_path: Path) -> None:
    files = {"proc/meminfo": MEMORY, "proc/self/cgroup": "0::/a/b\n"}
    files |= group("a/", limit=f"{2048 * MEBIBYTE}", used=1024, reclaimable=24)
    files |= group("a/b/", limit=f"{4096 * MEBIBYTE}", used=1024, reclaimable=0)

    assert free_memory_mib(machine(tmp_path, files)) == 1048


def test_a_limit_of_the_first_version_counts(tmp_path: Path) -> None:
    folder = "sys/fs/cgroup/memory"
    files = {
        "proc/meminfo": MEMORY,
        "proc/self/cgroup": "4:cpu:/x\n3:memory:/\n",
        f"{folder}/memory.limit_in_bytes": f"{1024 * MEBIBYTE}",
        f"{folder}/memory.usage_in_bytes": f"{512 * MEBIBYTE}",
    }

    assert free_memory_mib(machine(tmp_path, files)) == 512


def test_the_fullest_of_the_gpus_in_use_counts(tmp_path: Path) -> None:
    here = machine(tmp_path, {"nvidia-smi": "#!/bin/sh\nprintf '10, 100\\n30, 100\\n90, 100\\n'"})
    (tmp_path / "nvidia-smi").chmod(0o755)

    assert gpu_memory_mib(here, 2) == (30, 100)


def test_a_machine_without_nvidia_smi_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not on PATH"):
        gpu_memory_mib(machine(tmp_path, {}), 1)
