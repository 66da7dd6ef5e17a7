"""What the benchmark of preparations says of memory."""

import subprocess
import sys

import psutil
import pytest

from bench.prepare import FORESEEN_ROWS, foresee, held_by

MIB = 1 << 20


def test_memory_is_foreseen_along_the_line_through_both_sizes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    smaller, larger = (100_000, 10 * MIB), (1_000_000, 10 * MIB + 90_000_000)

    foresee(smaller, larger)

    expected = (larger[1] + 100 * (FORESEEN_ROWS - larger[0])) // MIB
    assert capsys.readouterr().out == f"100 bytes a further row; 10000000 rows: {expected} MiB\n"


def test_what_a_process_holds_grows_by_what_its_child_keeps() -> None:
    before = held_by(psutil.Process())
    keep = f"kept = b'x' * {64 * MIB}; print('kept', flush=True); input()"

    with subprocess.Popen(
        [sys.executable, "-c", keep], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        held = held_by(psutil.Process())
        child.communicate(b"\n")

    assert held - before > 0.9 * 64 * MIB
