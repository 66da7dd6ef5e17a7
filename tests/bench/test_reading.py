"""The bench of reading: nets alone, with their texts, as a cascade, on labelled and found lines."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.reading.__main__ import main
from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.image.pixels import Image
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tasks.readers import LINE_BASELINES
from tasks.workspace import Workspace
from tests.bench.conftest import prepare_toy_lines
from tests.toy_bundle import write_toy_bundle, write_toy_detection_bundle
from tests.toy_pipeline import write_toy_pipeline

RESULT = b"""{"kind": "train-recogniser", "checkpoint": "checkpoint", "metrics": {},
"timings": {"train_s": 180}, "environment": {}}"""


@pytest.fixture
def folder(
    tmp_path: Path, workspace: Workspace, snapshot: LineSnapshot, pages: PageSnapshot
) -> Path:
    """Bundles of a net whose export left its texts out, of one with them, and of a cascade."""
    lines = snapshot.manifest.digest
    workspace.store.put_bytes("checkpoints/c1/result.json", RESULT)
    workspace.store.put_bytes("checkpoints/c1/metrics.jsonl", b'{"step": 1}\n{"step": 700}\n')
    alone = write_toy_bundle(
        tmp_path / "r1", name="net", version="r1", dataset_digest=lines, checkpoint="checkpoints/c1"
    )
    counted = write_toy_bundle(
        tmp_path / "r2", name="net", version="r2", dataset_digest=lines, texts=["BC" * 9]
    )
    detector = write_toy_detection_bundle(
        tmp_path / "d1", name="finder", version="d1", dataset_digest=pages.manifest.digest
    )
    cascade = write_toy_pipeline(
        tmp_path / "p1",
        detector="finder:d1",
        recogniser="net:r1",
        second_recogniser="net:r2",
        reread_below=0.9,
    )
    for name, bundle in (("net", alone), ("net", counted), ("finder", detector), ("toy", cascade)):
        workspace.registry.register(name, bundle.name, bundle)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["bench.reading", *arguments])
    main()


def rows_of(printed: str) -> list[list[str]]:
    """Return the cells of the rows that have a number, as far as they stand in its line."""
    rows = (row.strip() for row in printed.splitlines() if re.match(r" +\d  ", row))
    return [re.split(r" {2,}", row) for row in rows]


def test_every_part_has_its_gain_and_its_cost_on_labelled_and_on_found_lines(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, "--baseline", "none", "toy:p1", "net:r2")

    printed = capsys.readouterr().out
    labelled, found = rows_of(printed)[:5], rows_of(printed)[5:]
    assert "20 lines, labelled" in printed
    assert "2 lines, found by finder:d1" in printed
    net, texts, cascade, other, counted = labelled
    assert (net[:3], net[-1]) == (["1", "net:r1", "0.5000"], "compact, lines alone")
    assert "700 steps, 3 min" in printed
    assert texts[1].startswith("net:r1 with its texts, which its")
    assert [texts[2:4], texts[4][:7]] == [["1", "1.0000"], "+50.00 "]
    assert cascade[1].startswith("toy:p1, unsure lines by")
    assert [cascade[2:4], cascade[4][:7]] == [["1", "1.0000"], "+50.00 "]
    assert [other[1:4], other[4][:6]] == [["net:r2", "1", "0.5000"], "+0.00 "]
    assert [counted[2:4], counted[4][:7]] == [["4", "1.0000"], "+50.00 "]
    assert len(found) == 5
    assert all("1.0000" in row for row in found)


def test_a_model_off_the_shelf_comes_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = OnnxRecogniser.load(folder / "r2")
    monkeypatch.setitem(LINE_BASELINES, "rapidocr", lambda: shelf)

    run(monkeypatch, "net:r1")

    printed = capsys.readouterr().out
    first, second, _ = rows_of(printed)
    assert "found by" not in printed
    assert first[1].startswith("net:r2, characters of the labels")
    assert first[2] == "1.0000"
    assert [second[1:4], second[4][:7]] == [["net:r1", "1", "0.5000"], "-50.00 "]


class ReadsElsewhere:
    """Reads nothing, in a process that stays and in one that ends, each of a fifth of a second."""

    name = "elsewhere"
    burn = "import time\nwhile time.process_time() < {}: pass\n"

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        subprocess.run([sys.executable, "-c", self.burn.format(0.2)], check=True)
        code = self.burn.format(0.2) + "print(flush=True)\ninput()"
        self.stays = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.stays.stdout
        self.stays.stdout.readline()
        return [Recognition("", 0.0, ()) for _ in images]


def test_processes_of_a_model_off_the_shelf_are_part_of_its_time(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = ReadsElsewhere()
    monkeypatch.setitem(LINE_BASELINES, "tesseract", lambda: shelf)

    run(monkeypatch, "--baseline", "tesseract", "net:r1")
    shelf.stays.communicate(b"\n")

    first, *_ = rows_of(capsys.readouterr().out)
    assert float(first[-1]) > 0.9 * 1000 * (0.2 + 0.2) / 20  # of 20 lines


def test_models_that_were_tested_on_different_lines_are_refused(
    folder: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = prepare_toy_lines(workspace, folder / "lines", test="another").manifest.digest
    other = write_toy_bundle(folder / "r3", name="net", version="r3", dataset_digest=digest)
    workspace.registry.register("net", "r3", other)

    with pytest.raises(SystemExit, match="different test lines"):
        run(monkeypatch, "--baseline", "none", "net:r1", "net:r3")


def test_a_second_recogniser_that_learnt_the_test_lines_is_named(
    folder: Path,
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    digest = prepare_toy_lines(
        workspace, folder / "lines", train="test", test="another"
    ).manifest.digest
    other = write_toy_bundle(folder / "r3", name="net", version="r3", dataset_digest=digest)
    cascade = write_toy_pipeline(
        folder / "p2",
        version="p2",
        detector="finder:d1",
        recogniser="net:r1",
        second_recogniser="net:r3",
        reread_below=0.9,
    )
    for name, bundle in (("net", other), ("toy", cascade)):
        workspace.registry.register(name, bundle.name, bundle)

    run(monkeypatch, "--baseline", "none", "toy:p2")

    assert "net:r3 was trained on 20 of the 20 lines" in capsys.readouterr().out


def test_a_dataset_that_is_gone_is_named(
    folder: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = write_toy_bundle(folder / "r3", name="net", version="r3", dataset_digest="e" * 64)
    workspace.registry.register("net", "r3", gone)

    with pytest.raises(SystemExit, match="no longer holds dataset eeeeeeeeeeee of net:r3"):
        run(monkeypatch, "--baseline", "none", "net:r1", "net:r3")
