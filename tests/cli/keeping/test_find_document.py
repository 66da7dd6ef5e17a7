"""``ocrline find-document``: what the store has of a document."""

import json
from pathlib import Path

import pytest

from cli.main import run
from tests.cli.keeping.toy_project import prepare_toy


def test_document_is_named_with_the_snapshot_that_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare_toy(tmp_path, monkeypatch)
    capsys.readouterr()

    assert run(["find-document", "scans/7.png", "--json"]) == 0
    [found] = [each for each in json.loads(capsys.readouterr().out) if each["kind"] == "snapshot"]
    assert run(["find-document", "scans/7.png"]) == 0
    shown = capsys.readouterr().out
    assert run(["find-document", "7.png"]) == 0
    nothing = capsys.readouterr().out

    assert found["why"] in ("1 train", "1 val", "1 test")
    assert found["prefix"][:40] in shown
    assert str(tmp_path / "home") in shown.replace("\n", "")
    assert nothing.startswith("nothing in file://")
