"""``ocrline suspects``: labels that a model contradicts, as a list and in other tools' formats."""

import csv
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from cli import convert
from cli.main import run
from ocr.evaluation.suspects.finding import ChecksLabels, find_suspects
from ocr.evaluation.suspects.suspect import LabelledCrop, Suspect
from ocr.image.header import image_suffix
from ocr.image.pixels import Image, decode_image, encode_png
from tasks.workspace import open_workspace
from tests.ocr.dataset.pages.sheets import add_row
from tests.ocr.image.documents import tiff
from tests.toy_bundle import corners, draw, draw_page, write_toy_bundle
from tests.toy_pipeline import write_toy_pipeline

SPLITS = ("train", "val", "test")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))


@pytest.fixture
def plates(tmp_path: Path) -> list[str]:
    """Lines with a champion that reads them; in each split one label is wrong, more and more so."""
    pictures = {
        "train": {"ABCA": "ABCA", "BCAB": "BCAC", "CABC": "CABC"},
        "val": {"ABAB": "ABAB", "CBCB": "CBA"},
        "test": {"BABA": "CACA", "ACAC": "ACAC"},
    }
    for split, labels in pictures.items():
        for picture in labels:
            (tmp_path / f"{picture}.png").write_bytes(encode_png(draw(picture)))
        rows = "".join(f"{picture}.png\t{label}\n" for picture, label in labels.items())
        (tmp_path / f"rec_{split}.txt").write_text(rows, encoding="utf-8")
    add_champion("plates", write_toy_bundle(tmp_path / "bundle", name="plates"))
    return ["--set", f"dataset.root={tmp_path}"]


@pytest.fixture
def receipts(tmp_path: Path) -> list[str]:
    """Pages with a champion that reads their lines; the second line of the test page is wrong."""
    labels = {split: ["ABC", "CAB"] for split in SPLITS} | {"test": ["ABC", "CAA"]}
    for number, (split, (first, second)) in enumerate(labels.items()):
        lines = {(32, 32): "ABC", (32, 64): "CAB", (64 * number, 128): "B"}
        (tmp_path / f"{split}.png").write_bytes(encode_png(draw_page(lines)))
        entries = [
            {"transcription": "###", "points": corners(64 * number, 128, 16, 16)},
            {"transcription": first, "points": corners(32, 32, 48, 16)},
            {"transcription": second, "points": corners(32, 64, 48, 16)},
        ]
        add_row(tmp_path, f"det_{split}.txt", f"{split}.png", entries)
    add_champion(
        "receipts-recogniser", write_toy_bundle(tmp_path / "part", name="receipts-recogniser")
    )
    pipeline = write_toy_pipeline(
        tmp_path / "pipeline", name="receipts", recogniser="receipts-recogniser:1"
    )
    add_champion("receipts", pipeline)
    settings = [f"dataset.root={tmp_path}", "dataset.split.copy_bit_share=0"]
    return [part for setting in settings for part in ("--set", setting)]


@pytest.mark.parametrize("project", ["plates", "receipts"])
def test_how_many_of_all_lines_are_read_is_shown(
    project: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    sets: list[str] = request.getfixturevalue(project)
    screen = StringIO()
    monkeypatch.setenv("TERM", "xterm")  # a dumb one shows no bar
    monkeypatch.setattr(convert, "ERR", Console(file=screen, force_terminal=True, width=120))

    code = run(["suspects", project, str(tmp_path / "out"), *sets])

    assert code == 0
    assert re.findall(r"\d+%", screen.getvalue())[-1] == "100%"


def test_lines_are_listed_by_how_much_their_label_is_contradicted(
    tmp_path: Path, plates: list[str]
) -> None:
    code = run(["suspects", "plates", str(tmp_path / "out"), *plates])

    rows = read_list(tmp_path / "out")
    assert code == 0
    assert [(row["split"], row["label"], row["read"]) for row in rows[:3]] == [
        ("test", "CACA", "BABA"),
        ("val", "CBA", "CBCB"),
        ("train", "BCAC", "BCAB"),
    ]
    assert [row["image"] for row in rows[:3]] == ["BABA.png", "CBCB.png", "BCAB.png"]
    contradictions = [float(row["contradiction"]) for row in rows]
    assert contradictions[0] > contradictions[1] > contradictions[2] > 0
    assert contradictions[3:] == [0.0] * 4
    assert all(row["read"] == row["label"] for row in rows[3:])


def test_a_label_in_another_width_stands_before_lines_read_as_labelled_with_its_character(
    tmp_path: Path, plates: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    relabel(tmp_path / "rec_train.txt", "CABC", "CＡBC")

    run(["suspects", "plates", str(tmp_path / "out"), *plates])

    rows = read_list(tmp_path / "out")
    (row,) = (row for row in rows if row["label"] == "CＡBC")
    assert (row["read"], row["unknown"]) == ("CABC", "U+FF21")
    assert float(row["contradiction"]) > 5
    assert [row["read"] == row["label"] for row in rows] == [False] * 4 + [True] * 3
    assert [other["unknown"] for other in rows if other is not row] == [""] * 6
    assert "U+FF21" in capsys.readouterr().out
    tasks = json.loads((tmp_path / "out" / "labelstudio.json").read_text())
    notes = [task["annotations"][0]["result"][0].get("meta") for task in tasks]
    assert {"text": ["reads CABC, does not know U+FF21"]} in notes


def test_only_the_most_suspicious_lines_of_a_split_are_listed(
    tmp_path: Path, plates: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")

    run(["suspects", "plates", out, "--split", "train", "--most", "5", "--json", *plates])
    few = json.loads(capsys.readouterr().out)
    run(["suspects", "plates", f"{out}2", "--most", "1", *plates])

    assert few["suspects"] == 3
    assert [row["label"] for row in read_list(tmp_path / "out2")] == ["CACA"]


def test_a_line_that_reads_otherwise_is_shown_so_though_its_label_is_as_probable(
    tmp_path: Path,
    plates: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def agree(
        crops: Iterable[tuple[LabelledCrop, Image]], reader: ChecksLabels, *, most: int
    ) -> list[Suspect]:
        return [replace(each, contradiction=0) for each in find_suspects(crops, reader, most=most)]

    monkeypatch.setattr("ocr.evaluation.suspects.finding.find_suspects", agree)

    run(["suspects", "plates", str(tmp_path / "out"), "--most", "4", *plates])

    shown = capsys.readouterr().out
    assert all(text in shown for text in ("BABA ", "CBCB ", "BCAB "))
    assert shown.count("as labelled") == 1


def test_label_studio_shows_the_label_as_it_is_and_what_was_read_beside_it(
    tmp_path: Path, plates: list[str]
) -> None:
    run(["suspects", "plates", str(tmp_path / "out"), "--most", "3", *plates])

    worst, *_ = tasks = json.loads((tmp_path / "out" / "labelstudio.json").read_text())
    (annotation,), (prediction,) = worst["annotations"], worst["predictions"]
    assert len(tasks) == 3
    assert texts(annotation["result"]) == ["CACA"]
    assert annotation["result"][0]["meta"] == {"text": ["reads BABA"]}
    assert (texts(prediction["result"]), prediction["model_version"]) == (["BABA"], "plates:1")
    assert worst["data"]["labelled"] == "BABA.png"
    image = worst["data"]["ocr"].removeprefix("/data/local-files/?d=")
    assert (tmp_path / "out" / image).read_bytes() == (tmp_path / "BABA.png").read_bytes()


def test_ppocrlabel_lists_the_most_suspicious_image_first_with_its_label(
    tmp_path: Path, plates: list[str]
) -> None:
    command = ["suspects", "plates", str(tmp_path / "out"), "--to", "ppocrlabel", "--most", "3"]
    run([*command, *plates])

    images = tmp_path / "out" / "images"
    rows = [row.split("\t") for row in (images / "Label.txt").read_text().splitlines()]
    entries = [json.loads(row[1]) for row in rows]
    files = sorted(path.name for path in images.glob("*.png"))
    assert [row[0] for row in rows] == [f"images/{file}" for file in files]
    assert [entry["transcription"] for (entry,) in entries] == ["CACA", "CBA", "BCAC"]
    assert entries[0][0]["points"] == corners(0, 0, 64, 16)
    assert entries[0][0]["key_cls"] == "doubted by plates:1"


@pytest.mark.parametrize(("tool", "suffix"), [("labelstudio", ".png"), ("ppocrlabel", ".tif")])
def test_what_no_browser_shows_is_png_in_label_studio(
    tool: str, suffix: str, tmp_path: Path, plates: list[str]
) -> None:
    (tmp_path / "BABA.tif").write_bytes(tiff([draw("BABA")]))
    rows = (tmp_path / "rec_test.txt").read_text()
    (tmp_path / "rec_test.txt").write_text(rows.replace("BABA.png", "BABA.tif"))

    run(["suspects", "plates", str(tmp_path / "out"), "--to", tool, "--most", "1", *plates])

    (row,) = read_list(tmp_path / "out")
    assert (row["image"], Path(row["file"]).suffix) == ("BABA.tif", suffix)
    data = (tmp_path / "out" / row["file"]).read_bytes()
    assert image_suffix(data) == suffix
    assert np.array_equal(decode_image(data, max_pixels=10_000), draw("BABA"))


def test_pages_name_the_region_and_keep_the_others(tmp_path: Path, receipts: list[str]) -> None:
    code = run(["suspects", "receipts", str(tmp_path / "out"), "--most", "1", *receipts])

    (row,) = read_list(tmp_path / "out")
    (task,) = json.loads((tmp_path / "out" / "labelstudio.json").read_text())
    assert code == 0
    assert (row["image"], row["region"], row["label"], row["read"]) == (
        "test.png",
        "3",
        "CAA",
        "CAB",
    )
    assert texts(task["annotations"][0]["result"]) == ["ABC", "CAA"]
    assert texts(task["predictions"][0]["result"]) == ["ABC", "CAB"]
    assert [r["id"] for r in task["annotations"][0]["result"] if "meta" in r] == ["region-3"] * 3


def test_a_folder_that_is_there_is_left_alone(
    tmp_path: Path, plates: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(["suspects", "plates", str(tmp_path), *plates])

    assert code != 0
    assert "expected a new folder" in capsys.readouterr().err


def test_without_a_model_it_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(["suspects", "plates", str(tmp_path / "out")])

    assert code != 0
    assert "Nothing is 'plates'" in capsys.readouterr().err


def add_champion(name: str, bundle: Path) -> None:
    registry = open_workspace().registry
    version = json.loads((bundle / "manifest.json").read_text())["version"]
    registry.register(name, version, bundle)
    registry.promote(name, version, reason="first")


def relabel(file: Path, old: str, new: str) -> None:
    rows = file.read_text(encoding="utf-8").replace(f"\t{old}\n", f"\t{new}\n")
    file.write_text(rows, encoding="utf-8")


def read_list(folder: Path) -> list[dict[str, str]]:
    with (folder / "suspects.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def texts(result: list[Mapping[str, Any]]) -> list[str]:
    return [text for item in result for text in item["value"].get("text", [])]
