"""The bench of pages: turns, ratios, and the pipeline of a registry in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.pages import Answer, Engine, print_table, take_turns
from ocr.dataset.pages.region import Region
from ocr.image.pixels import encode_png
from ocr.models.registry import Registry
from ocr.reading.page_reader import PageReading
from ocr.store import open_store
from tests.toy_bundle import PAGES, corners, draw_page, write_toy_bundle, write_toy_detection_bundle
from tests.toy_pipeline import write_toy_pipeline

NOTHING = PageReading(lines=(), rotation=0, timings={})


def answer(read_s: float) -> Answer:
    return Answer(NOTHING, read_s=read_s, cpu_s=2 * read_s**2, peak_mib=100)


def test_engines_take_turns_after_a_page_that_does_not_count() -> None:
    asked: list[str] = []

    def engine(name: str) -> Engine:
        def read(file: Path) -> Answer:
            asked.append(f"{name}{file}")
            return answer(1)

        return Engine(name, read)

    answers = take_turns([engine("a"), engine("b")], [Path("1"), Path("2"), Path("3")])

    assert asked == ["a1", "b1", "a1", "b1", "b2", "a2", "a3", "b3"]
    assert {name: len(read) for name, read in answers.items()} == {"a": 3, "b": 3}


def test_the_table_compares_the_seconds_with_those_of_the_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    region = Region(polygon=((0, 0), (9, 0), (9, 9), (0, 9)), text="A")

    print_table({"ours": [answer(0.1), answer(0.3)], "theirs": [answer(2.0)] * 2}, [[region]] * 2)

    printed = capsys.readouterr().out
    assert cells(printed, "ours")[:6] == ["ours", "0.200", "1.0x", "0.100", "1.0x", "100"]
    assert cells(printed, "theirs")[:6] == ["theirs", "2.000", "10.0x", "8.000", "80.0x", "100"]


def test_a_pipeline_of_the_registry_is_measured(tmp_path: Path) -> None:
    registry = Registry(open_store(str(tmp_path / "store")))
    for name, version, write in (
        ("toy-detector", "d1", write_toy_detection_bundle),
        ("toy-recogniser", "r1", write_toy_bundle),
        ("toy", "p1", write_toy_pipeline),
    ):
        registry.register(name, version, write(tmp_path / name, name=name, version=version))
    rows = []
    for number, lines in enumerate(PAGES):
        (tmp_path / f"{number}.png").write_bytes(encode_png(draw_page(lines)))
        regions = [
            {"transcription": text, "points": corners(x, y, 16 * len(text), 16)}
            for (x, y), text in lines.items()
        ]
        rows.append(f"{number}.png\t{json.dumps(regions)}\n")
    (tmp_path / "det.txt").write_text("".join(rows), encoding="utf-8")

    run = subprocess.run(
        [
            *(sys.executable, "-m", "bench.pages", "--engines", "ocrline"),
            *("--model", "toy:p1", "--labels", str(tmp_path / "det.txt")),
        ],
        capture_output=True,
        check=True,
        text=True,
        env={
            **os.environ,
            "COLUMNS": "200",
            "OCRLINE_HOME": str(tmp_path / "home"),
            "OCRLINE_STORE": str(tmp_path / "store"),
        },
    )

    assert cells(run.stdout, "toy:p1")[6:] == ["1.0000"] * 3


def cells(printed: str, engine: str) -> list[str]:
    (row,) = (row for row in printed.splitlines() if engine in row)
    return [cell.strip() for cell in row.strip("│ ").split("│")]
