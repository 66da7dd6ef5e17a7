"""The folder, the tar and the LMDB file that the benchmark compares hold the same images."""

import json
from pathlib import Path

import pytest

from bench.roots import KINDS, WORKS, Kind, Work, pack, run_work

ROWS = 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("roots")
    pack(folder, rows=ROWS)
    return folder


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("work", WORKS)
def test_everything_measured_of_a_kind_is_done(
    folder: Path, work: Work, kind: Kind, capsys: pytest.CaptureFixture[str]
) -> None:
    run_work(work, kind, folder)

    assert json.loads(capsys.readouterr().out) >= 0
