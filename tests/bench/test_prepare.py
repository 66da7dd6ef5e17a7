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


def test_what_a_process_holds_includes_what_its_child_keeps() -> None:
    keep = f"kept = b'x' * {64 * MIB}; print('kept', flush=True); input()"
    wait = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"

    with subprocess.Popen(
        [sys.executable, "-c", wait, keep], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        held = held_by(psutil.Process(parent.pid))
        parent.communicate(b"\n")

    assert held > 64 * MIB  # without its child: about 10
