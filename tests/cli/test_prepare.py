"""``ocrline prepare``: the key of the snapshot, on one line."""

from pathlib import Path

import pytest

from cli.main import run


def test_the_key_is_one_line_on_a_narrow_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("COLUMNS", "20")

    code = run(["prepare", "smoke"])

    (key,) = capsys.readouterr().out.splitlines()
    assert code == 0
    assert key.startswith("datasets/smoke/")
    assert (tmp_path / "store" / key / "manifest.json").is_file()
