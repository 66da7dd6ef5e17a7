"""Synthetic text lines: any number, each by its index alone."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadInput
from ocr.synthesis.degrade import photograph
from ocr.synthesis.font_set import FontSet, Style
from ocr.synthesis.fonts import find_fonts
from ocr.synthesis.lines.meters import can_display, paint_display, paint_drums
from ocr.synthesis.lines.plates import paint_plate
from ocr.synthesis.lines.prints import paint_print
from ocr.synthesis.lines.templates import Kind, Template, read_templates
from ocr.synthesis.scene import Scene, can_stamp

MIN_HEIGHT_PX, MAX_HEIGHT_PX = 28, 48
SHORT = 12  # characters; longer texts are printed, not stamped
# How often each look is given to the texts of a template.
LOOKS: dict[str, dict[str, int]] = {
    "plate": {"plate": 1},
    "invoice": {"print": 1},
    "date": {"print": 1},
    "meter": {"drums": 5, "display": 4, "print": 1},
    "corpus": {"print": 1},
    "pattern": {"print": 6, "plate": 2, "drums": 1, "display": 1},
}


@dataclass(frozen=True)
class RenderedLine:
    """One line: (H, W, 3) BGR, its text, and each character's centre, (n, 2) x and y in pixels."""

    image: NDArray[np.uint8]
    text: str
    centres_px: NDArray[np.float32]
    source: str


@dataclass(frozen=True)
class Synthesis:
    """All that decides what the line of an index looks like."""

    templates: tuple[Template, ...]
    fonts: FontSet
    strength: float
    seed: int

    def line(self, index: int) -> RenderedLine:
        """Render the line of an index; the same for the same seed, fonts and parameters.

        Raises:
            BadInput: The text has a character that no font has.
        """
        rng = random.Random(f"{self.seed}/{index}")  # noqa: S311 - pictures, not secrets
        template = rng.choice(self.templates)
        text = template.draw(rng)
        scene = self._paint(text, look=_choose_look(template, text, rng=rng), rng=rng)
        photo = photograph(
            scene,
            strength=self.strength,
            height_px=rng.randint(MIN_HEIGHT_PX, MAX_HEIGHT_PX),
            rng=rng,
        )
        return RenderedLine(
            image=photo.image,
            text=text,
            centres_px=photo.centres_px.astype(np.float32),
            source=f"synthesis:{template.name}",
        )

    def _paint(self, text: str, *, look: str, rng: random.Random) -> Scene:
        clean = self.strength <= 0
        if look == "display":
            return paint_display(text, rng=rng, clean=clean)
        printed: Style = "upright" if rng.random() < 0.8 else "any"
        fonts = self.fonts.choose(text, rng=rng, style=printed if look == "print" else "plain")
        if look == "plate":
            return paint_plate(text, fonts=fonts, rng=rng)
        if look == "drums":
            return paint_drums(text, fonts=fonts, rng=rng, clean=clean)
        return paint_print(text, fonts=fonts, rng=rng, clean=clean)


def render_lines(
    *,
    count: int,
    kinds: Sequence[Kind],
    patterns: Sequence[str],
    corpus: Path | None,
    font_folders: Sequence[Path],
    strength: float,
    seed: int,
) -> Iterator[RenderedLine]:
    """Render lines one after another, holding one at a time.

    Raises:
        BadInput: At the call: nothing to draw from, a broken pattern, corpus or font folder, or
            characters that no font has; later only for characters a pattern draws rarely.
    """
    synthesis = open_synthesis(
        kinds=kinds,
        patterns=patterns,
        corpus=corpus,
        font_folders=font_folders,
        strength=strength,
        seed=seed,
    )
    return (synthesis.line(index) for index in range(count))


def open_synthesis(
    *,
    kinds: Sequence[Kind],
    patterns: Sequence[str],
    corpus: Path | None,
    font_folders: Sequence[Path],
    strength: float,
    seed: int,
) -> Synthesis:
    """Read templates and fonts, and check that they go together.

    Raises:
        BadInput: As `render_lines` says.
    """
    if not 0 <= strength <= 2:
        raise BadInput(f"Synthesis strength is {strength}, allowed is 0 (clean) to 2")
    templates = read_templates(kinds=kinds, patterns=patterns, corpus=corpus)
    fonts = FontSet(find_fonts(font_folders))
    for template in templates:
        fonts.require(template.known_characters)
    return Synthesis(templates=templates, fonts=fonts, strength=strength, seed=seed)


def _choose_look(template: Template, text: str, *, rng: random.Random) -> str:
    looks = dict(LOOKS[template.kind])
    if not can_display(text):
        looks.pop("display", None)
    if len(text) > SHORT or not can_stamp(text):
        looks = {"print": 1}
    return rng.choices(list(looks), weights=list(looks.values()))[0]
