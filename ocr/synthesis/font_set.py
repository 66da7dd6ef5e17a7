"""Fonts to choose from, by what they can draw."""

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from ocr.errors import BadInput
from ocr.synthesis.fonts import Font, find_fonts
from ocr.synthesis.glyphs import has_glyph, missing_glyph

Style = Literal["any", "upright", "plain"]


class FontSet:
    """Fonts to choose from, and what each can draw (found by drawing, then remembered)."""

    def __init__(self, fonts: Sequence[Font]) -> None:
        self.fonts = tuple(fonts)
        self._missing = [missing_glyph(font) for font in self.fonts]
        self._able: dict[str, int] = {}
        self._styles = {
            "any": -1,
            "upright": sum(1 << i for i, font in enumerate(self.fonts) if font.is_upright),
            "plain": sum(1 << i for i, font in enumerate(self.fonts) if font.is_plain),
        }

    def choose(self, text: str, *, rng: random.Random, style: Style = "any") -> tuple[Font, ...]:
        """Choose a font for each character of a text: the same for all where one has all.

        Args:
            text: What will be drawn.
            rng: Decides between the fonts that can.
            style: Preferred where a font of it has the text: upright, or upright without serifs.

        Raises:
            BadInput: A character that no font has.
        """
        able = [self._fonts_with(character) for character in text]
        for character_able in able:
            if not character_able:
                self.require(text)
        common = -1
        for character_able in able:
            common &= character_able
        if not common:  # no font has all: each character takes its own
            return tuple(self._pick(one, rng=rng, style=style) for one in able)
        return (self._pick(common, rng=rng, style=style),) * len(text)

    def require(self, characters: Iterable[str]) -> None:
        """Refuse characters that no font has.

        Raises:
            BadInput: Names them, and how to get a font.
        """
        missing = [c for c in sorted(set(characters)) if not self._fonts_with(c)]
        if missing:
            shown = "".join(missing[:20]) + ("…" if len(missing) > 20 else "")
            raise BadInput(
                f"None of the {len(self.fonts)} fonts found has {len(missing)} of the characters "
                f"to render: {shown} — install a font that has them (for Chinese: Debian package "
                "fonts-wqy-zenhei) or name its folder in dataset.synthesis.font_folders"
            )

    def _pick(self, able: int, *, rng: random.Random, style: Style) -> Font:
        able = able & self._styles[style] or able
        places = [place for place in range(len(self.fonts)) if able >> place & 1]
        return self.fonts[rng.choice(places)]

    def _fonts_with(self, character: str) -> int:
        """The fonts that can draw a character, as a bit each."""
        if character not in self._able:
            self._able[character] = sum(
                1 << place
                for place, font in enumerate(self.fonts)
                if has_glyph(font, character, missing=self._missing[place])
            )
        return self._able[character]


def find_cjk_font(font_folders: Sequence[Path] = ()) -> Path | None:
    """The first font found that has Chinese characters."""
    for font in find_fonts(font_folders):
        if font.path and has_glyph(font, "汉", missing=missing_glyph(font)):
            return font.path
    return None
