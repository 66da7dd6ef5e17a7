"""``ocrline convert``: checked pages back to labels."""

import json
from pathlib import Path

import pytest

from cli.main import run
from tests.ocr.dataset.pages.sheets import write_pages


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))


def test_pages_are_written_as_label_studio_tasks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for split in ("train", "val", "test"):
        write_pages(tmp_path, f"det_{split}.txt", {f"{split}.png": [split, "1 2"]})

    out, settings = str(tmp_path / "out"), ["--set", f"dataset.root={tmp_path}"]
    code = run(["convert", "receipts", out, "--to", "labelstudio", *settings, "--json"])

    assert code == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert [Path(file).name for file in files] == [
        f"labelstudio_{split}.json" for split in ("train", "val", "test")
    ]
    interface = (tmp_path / "out/labelstudio.xml").read_text()
    assert '<Image name="image" value="$ocr"/>' in interface
    assert 'maxSubmissions="1"' in interface
    (task,) = json.loads(Path(files[0]).read_text())
    assert len(task["annotations"][0]["result"]) == 6


def test_labels_of_documents_are_written_with_the_pattern_that_finds_these_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for split in ("train", "val", "test"):
        write_pages(tmp_path, f"det_{split}.txt", {f"{split}-7/1.png": [split, "1 2"]})
    settings = ["--set", f"dataset.root={tmp_path}", "--set", "dataset.group_pattern='(.*)/'"]

    codes = [
        run(["convert", "receipts", str(tmp_path / "out"), *settings]),
        run(["convert", "receipts", str(tmp_path / "tasks"), "--to", "labelstudio", *settings]),
    ]

    said = [line for line in capsys.readouterr().err.splitlines() if "group_pattern" in line]
    assert codes == [0, 0]
    assert len(said) == 1  # Label Studio's tasks name documents in a field
    again = said[0].partition("dataset.group_pattern: ")[2]
    settings = ["--set", f"dataset.root={tmp_path}/out", "--set", f"dataset.group_pattern={again}"]
    assert run(["convert", "receipts", str(tmp_path / "twice"), *settings, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["group_pattern"] == again.strip("'")


def test_lines_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["convert", "plates", str(tmp_path / "out")])

    assert code == 2
    assert "expected one with task: pages" in capsys.readouterr().err


def test_a_folder_that_is_there_is_refused_before_there_is_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(["convert", "receipts", str(tmp_path), "--set", f"dataset.root={tmp_path}/none"])

    assert code == 2
    assert f"{tmp_path} is there already, expected a new folder" in capsys.readouterr().err
