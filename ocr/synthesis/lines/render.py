"""Synthetic text lines: any number, each by its index alone."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ocr.image.pixels import Image
from ocr.synthesis.counters import can_display, paint_display, paint_drums
from ocr.synthesis.fonts import Font, Style, choose_fonts, find_fonts, require_characters
from ocr.synthesis.glyphs import can_fill_cells
from ocr.synthesis.lines.camera import photograph
from ocr.synthesis.lines.plates import paint_plate
from ocr.synthesis.lines.prints import paint_print
from ocr.synthesis.lines.texts import Corpus, TextSource, read_sources

MIN_HEIGHT_PX, MAX_HEIGHT_PX = 28, 48
SHORT = 12  # characters; longer texts are printed, not stamped
# How often each look is given to the short texts of a pattern.
LOOKS = {"print": 6, "plate": 2, "drums": 1, "display": 1}


@dataclass(frozen=True)
class RenderedLine:
    """One line: (H, W, 3) BGR, its text, and what it was drawn from."""

    image: Image
    text: str
    source: str


@dataclass(frozen=True)
class LineSynthesis:
    """All that decides what the line of an index looks like."""

    sources: tuple[TextSource, ...]
    fonts: tuple[Font, ...]
    strength: float
    seed: int

    def line(self, index: int) -> RenderedLine:
        """Render the line of an index; the same for the same seed, fonts and parameters.

        Raises:
            BadInput: The text has a character that no font has.
        """
        rng = random.Random(f"{self.seed}/{index}")  # noqa: S311 - pictures, not secrets
        source = rng.choice(self.sources)
        text = source.draw(rng)
        clean = self._paint(text, look=_choose_look(source, text, rng=rng), rng=rng)
        height = rng.randint(MIN_HEIGHT_PX, MAX_HEIGHT_PX)
        image = photograph(clean, strength=self.strength, height_px=height, rng=rng)
        return RenderedLine(image=image, text=text, source=f"synthesis:{source.kind}")

    def _paint(self, text: str, *, look: str, rng: random.Random) -> Image:
        clean = self.strength <= 0
        if look == "display":
            return paint_display(text, rng=rng, clean=clean)[0]
        printed: Style = "upright" if rng.random() < 0.8 else "any"
        style: Style = printed if look == "print" else "plain"
        fonts = choose_fonts(self.fonts, text, rng=rng, style=style)
        if look == "plate":
            return paint_plate(text, fonts=fonts, rng=rng)
        if look == "drums":
            return paint_drums(text, fonts=fonts, rng=rng, clean=clean)[0]
        return paint_print(text, fonts=fonts, rng=rng, clean=clean)


def open_lines(
    *,
    patterns: Sequence[str],
    corpus: Corpus | None,
    font_folders: Sequence[Path],
    strength: float,
    seed: int,
) -> LineSynthesis:
    """Read patterns, corpus and fonts, and check that they go together.

    Raises:
        BadInput: Nothing to draw from, a broken pattern, corpus or font folder, or characters
            that no font has; those that a pattern draws rarely are refused when they are drawn.
    """
    sources = read_sources(patterns=patterns, corpus=corpus)
    fonts = find_fonts(font_folders)
    for source in sources:
        require_characters(fonts, source.known_characters)
    return LineSynthesis(sources=sources, fonts=fonts, strength=strength, seed=seed)


def _choose_look(source: TextSource, text: str, *, rng: random.Random) -> str:
    looks = dict(LOOKS)
    if not can_display(text):
        looks.pop("display")
    if source.kind == "corpus" or len(text) > SHORT or not can_fill_cells(text):
        looks = {"print": 1}
    return rng.choices(list(looks), weights=list(looks.values()))[0]
