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


def test_a_refused_set_ends_with_the_place_of_its_bad_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    (tmp_path / "rec_train.txt").write_text("gone.png\tA\n")
    settings = [f"dataset.root={tmp_path}", "dataset.val_labels=", "dataset.test_labels="]
    overrides = [word for setting in settings for word in ("--set", setting)]

    code = run(["prepare", "plates", *overrides])

    (kept,) = (tmp_path / "store/datasets").rglob("quarantine.csv")
    assert code == 3
    assert kept.as_uri() in capsys.readouterr().err.splitlines()[-1]
