import shutil
from pathlib import Path

import numpy as np
import pytest

from ocr.reading.baselines import TesseractPages
from tests.ocr.reading.baselines.pages import LINES, draw_page

FAKE = """#!/bin/sh
case "$1" in
  --list-langs) printf 'List of available languages (1):\\neng\\n' ;;
  --version) printf 'tesseract 5.9\\n' ;;
  *) cat "$(dirname "$0")/page.tsv" ;;
esac
"""
TABLE = """level block_num par_num line_num left top width height conf text
1 0 0 0 0 0 99 99 -1
4 1 1 1 10 20 30 8 -1
5 1 1 1 10 20 12 8 90 A"B
5 1 1 1 25 20 15 8 80 C
4 1 1 2 10 40 30 8 -1
5 1 1 2 10 40 12 8 95
4 2 1 1 50 20 30 8 -1
5 2 1 1 50 20 12 8 70 D
"""


@pytest.fixture
def fake_tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "tesseract"
    program.write_text(FAKE)
    program.chmod(0o755)
    rows = [row.split(" ") for row in TABLE.splitlines()]
    (tmp_path / "page.tsv").write_text("".join("\t".join([*r, ""][:10]) + "\n" for r in rows))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_page_is_read_line_by_line_with_corners_in_pixels() -> None:
    reading = TesseractPages().read(draw_page())

    assert [line.text for line in reading.lines] == list(LINES)
    (left, top), _, (right, bottom), _ = reading.lines[0].polygon
    assert 35 < left < 50
    assert 45 < top < 65
    assert 300 < right < 420
    assert 85 < bottom < 100


@pytest.mark.usefixtures("fake_tesseract")
def test_words_are_joined_line_by_line_and_blank_lines_left_out() -> None:
    first, second = TesseractPages().read(np.zeros((99, 99, 3), dtype=np.uint8)).lines

    assert (first.text, second.text) == ('A"B C', "D")
    assert list(first.polygon) == [(10, 20), (40, 20), (40, 28), (10, 28)]
    assert first.confidence == pytest.approx(0.85)


@pytest.mark.usefixtures("fake_tesseract")
def test_it_names_version_and_language() -> None:
    assert TesseractPages().name == "tesseract 5.9 (eng)"
