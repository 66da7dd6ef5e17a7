"""``ocrline prepare``: the key of the snapshot, on one line."""

from pathlib import Path

import pytest

from cli.main import run
from tests.ocr.image.pictures import write_labels


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


def test_characters_that_look_alike_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    rows = {f"{number}.png": f"{number}\u00a0{number} {number}" for number in range(24)}
    write_labels(tmp_path, "rec.txt", rows)
    settings = [f"dataset.root={tmp_path}", "dataset.train_labels=rec.txt"]
    settings += ["dataset.val_labels=", "dataset.test_labels="]
    overrides = [word for setting in settings for word in ("--set", setting)]

    run(["prepare", "plates", *overrides])
    usual = capsys.readouterr().err
    run(["prepare", "plates", *overrides, "--set", "dataset.texts.white_space=keep"])
    kept = capsys.readouterr().err

    assert "U+00A0" not in usual
    assert "U+00A0 no-break space 24 times, beside U+0020 24 times" in kept


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
