import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from ocr.errors import BadInput
from ocr.image.pixels import Image
from ocr.reading.baselines import TesseractRecogniser
from ocr.reading.baselines.tesseract import digest_language, find_tesseract

needs_tesseract = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="tesseract is not installed"
)

FAKE = """#!/bin/sh
case "$1" in
  --list-langs) printf 'List of available languages (1):\\neng\\n' ;;
  --version) printf 'tesseract 5.9\\n' ;;
  *) cat "$(dirname "$0")/pages.tsv" ;;
esac
"""
PAGES = """level page_num conf text
1 1 -1
5 1 90 A"B
5 1 80 C
1 2 -1
"""


def draw(text: str) -> Image:
    image = np.full((48, 220, 3), 255, dtype=np.uint8)
    cv2.putText(image, text, (8, 36), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (0, 0, 0), 2)
    return image


@pytest.fixture
def fake_tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "tesseract"
    program.write_text(FAKE)
    program.chmod(0o755)
    (tmp_path / "pages.tsv").write_text(PAGES.replace(" ", "\t"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")


@needs_tesseract
def test_it_reads_images_in_their_order() -> None:
    readings = TesseractRecogniser().recognise([draw("HELLO"), draw("")[:2, :2], draw("77 42")])

    assert readings[0].text == "HELLO"
    assert readings[2].text == "77 42"
    assert readings[0].confidence > 0.8


@needs_tesseract
def test_missing_language_is_named_with_what_there_is() -> None:
    with pytest.raises(BadInput, match=r"no language 'xyz', only .*eng"):
        TesseractRecogniser(language="xyz")


@needs_tesseract
def test_language_data_of_release_5_are_found() -> None:
    assert len(digest_language(find_tesseract("eng"), "eng")) == 64


@pytest.mark.usefixtures("fake_tesseract")
def test_language_data_of_release_4_are_not_known() -> None:
    assert digest_language("tesseract", "eng") == ""


@pytest.mark.usefixtures("fake_tesseract")
def test_words_of_a_page_are_joined_and_an_empty_page_reads_as_nothing() -> None:
    first, second = TesseractRecogniser().recognise([draw("A"), draw("B")])

    assert first.text == 'A"B C'
    assert first.confidence == pytest.approx(0.85)
    assert (second.text, second.confidence) == ("", 0.0)


@pytest.mark.usefixtures("fake_tesseract")
def test_answer_for_fewer_images_is_refused() -> None:
    with pytest.raises(ValueError, match="2 of 3 images"):
        TesseractRecogniser().recognise([draw("A")] * 3)


def test_missing_program_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(BadInput, match="apt-get install tesseract-ocr"):
        TesseractRecogniser()
