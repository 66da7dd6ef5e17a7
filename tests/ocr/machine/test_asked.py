"""What a job asks for by number or name, beside what the machine has."""

from pathlib import Path

import pytest

from ocr.machine.asked import Asked, check_asked
from tests.built_machine import GIBIBYTE, Parts, build_machine


@pytest.mark.parametrize(
    ("asked", "verdict", "said"),
    [
        (
            Asked(gpu="A100"),
            "broken",
            "NVIDIA H100 80GB HBM3, NVIDIA H100 80GB HBM3; resources.gpu",
        ),
        (Asked(cpus=4096), "risky", "resources.cpus: 4096"),
        (Asked(memory_gib=64), "risky", "16.0 GiB, resources.memory_gib: 64"),
        (Asked(shared_memory_gib=16), "risky", "8.0 GiB free in /dev/shm, resources.shared_m"),
        (Asked(open_files=99999), "risky", "at most 20000 at once, resources.open_files: 99999"),
    ],
)
def test_what_is_asked_for_and_not_there_is_named_with_both_numbers(
    tmp_path: Path, asked: Asked, verdict: str, said: str
) -> None:
    machine = build_machine(tmp_path, Parts(shared=8 * GIBIBYTE))
    (machine.root / "proc/meminfo").write_text(f"MemTotal: {16 * 2**20} kB\n")

    (found,) = check_asked(machine, asked)

    assert (found.verdict, said in str(found)) == (verdict, True)


def test_what_is_there_is_not_spoken_of(tmp_path: Path) -> None:
    machine = build_machine(tmp_path, Parts(shared=8 * GIBIBYTE))
    (machine.root / "proc/meminfo").write_text(f"MemTotal: {16 * 2**20 - 500_000} kB\n")
    asked = Asked(gpu="h100", cpus=1, memory_gib=16, shared_memory_gib=8, open_files=20000)

    assert list(check_asked(machine, asked)) == []


def test_a_machine_without_gpus_has_none_of_any_name(tmp_path: Path) -> None:
    machine = build_machine(tmp_path, Parts(driver=""))

    (found,) = check_asked(machine, Asked(gpu="H100"))

    assert "none; resources.gpu: 'H100'" in str(found)
