"""Tesseract as a baseline: the program of this machine, one text line an image."""

import csv
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from ocr.errors import BadData, BadInput
from ocr.image.pixels import Image, encode_png
from ocr.reading.recognition.ctc import Recognition

_WORD_LEVEL = "5"
_TIMEOUT_S = 600.0


class TesseractRecogniser:
    """The program ``tesseract`` in its single-line mode (``--psm 7``)."""

    def __init__(self, *, language: str = "eng") -> None:
        """Find the program.

        Raises:
            BadInput: It is not installed, or lacks the language.
        """
        self._program = find_tesseract(language)
        self._language = language
        self.name = name_tesseract(self._program, language)

    def recognise(self, images: Sequence[Image]) -> list[Recognition]:
        """Read (H, W, 3) BGR images of any size, in their order, in one process.

        Raises:
            BadData: The program failed or did not answer for every image.
        """
        if not images:
            return []
        with TemporaryDirectory() as folder:
            listing = _write_images(images, Path(folder))
            command = [self._program, str(listing), "stdout", "-l", self._language]
            table = run_tesseract([*command, "--psm", "7", "tsv"])
        pages = _parse_pages(table)
        if len(pages) != len(images):
            raise BadData(f"Tesseract answered {len(pages)} of {len(images)} images")
        return pages


def find_tesseract(language: str) -> str:
    """Return the path of the program.

    Raises:
        BadInput: It is not installed, or lacks the language.
    """
    program = shutil.which("tesseract")
    if program is None:
        raise BadInput(
            "Baseline tesseract is not installed: apt-get install tesseract-ocr, "
            "or choose another evaluation.baseline"
        )
    languages = run_tesseract([program, "--list-langs"]).splitlines()[1:]
    if language not in languages:
        raise BadInput(
            f"Tesseract has no language {language!r}, only {', '.join(languages)}: "
            f"apt-get install tesseract-ocr-{language.replace('_', '-')}"
        )
    return program


def name_tesseract(program: str, language: str) -> str:
    """Return name, version and language."""
    return f"{' '.join(run_tesseract([program, '--version']).split()[:2])} ({language})"


def digest_language(program: str, language: str) -> str:
    """Return the SHA-256 of a language's data; empty: release 4 does not say where they are."""
    heading, _, _ = run_tesseract([program, "--list-langs"]).partition("\n")
    folder = re.search('"(.+)"', heading)
    if not folder:
        return ""
    return hashlib.sha256(Path(folder[1], f"{language}.traineddata").read_bytes()).hexdigest()


def run_tesseract(command: Sequence[str]) -> str:
    """Run the program in one thread and return what it prints.

    Raises:
        BadData: It failed.
    """
    # Its OpenMP threads fight over short lines: one is faster. A page gains little from four.
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            encoding="utf-8",
            timeout=_TIMEOUT_S,
            env=environment,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        raise BadData(f"Tesseract failed: {error.stderr.strip()[-500:]}") from error
    return done.stdout


def _write_images(images: Sequence[Image], folder: Path) -> Path:
    paths = [folder / f"{number}.png" for number in range(len(images))]
    for path, image in zip(paths, images, strict=True):
        path.write_bytes(encode_png(image))
    listing = folder / "images.txt"
    listing.write_text("\n".join(str(path) for path in paths), encoding="utf-8")
    return listing


def _parse_pages(table: str) -> list[Recognition]:
    """Join the words of each page of Tesseract's TSV; every image is a page, from 1."""
    words: dict[str, list[tuple[str, float]]] = {}
    for row in csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        page = words.setdefault(row["page_num"], [])
        if row["level"] == _WORD_LEVEL and row["text"]:
            page.append((row["text"], float(row["conf"]) / 100))
    return [_join(page) for page in words.values()]


def _join(words: Sequence[tuple[str, float]]) -> Recognition:
    confidences = tuple(confidence for _, confidence in words)
    return Recognition(
        text=" ".join(text for text, _ in words),
        confidence=sum(confidences) / len(confidences) if confidences else 0.0,
        character_confidences=(),
    )
