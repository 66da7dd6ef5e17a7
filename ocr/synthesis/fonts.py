"""The fonts of this machine, what each can draw, and the digest of all that draws."""

import hashlib
import logging
import random
import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from os.path import expanduser
from pathlib import Path
from typing import Literal, get_args

from fontTools.ttLib import TTFont, TTLibError
from PIL import ImageFont, features

from ocr.errors import BadInput

SYSTEM_FOLDERS = tuple(
    Path(expanduser(folder))  # noqa: PTH111 - Path's own fails where a user has no home
    for folder in (
        "/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts",
        "/Library/Fonts", "/System/Library/Fonts", "C:/Windows/Fonts",
    )
)  # fmt: skip
COLLECTIONS = (".ttc", ".otc")
SUFFIXES = (".ttf", ".otf", *COLLECTIONS)
PICTURES = re.compile(r"symbol|dings|emoji|barcode|math|braille|icon|awesome", re.IGNORECASE)
SLANTED = re.compile(r"italic|oblique|slanted|script|hand", re.IGNORECASE)
SERIF = re.compile(r"(?<!sans)[ -]?serif|roman|times|georgia|song|ming|mincho", re.IGNORECASE)
_ANY_PX = 20  # any size will do to read what is the same at all
SPACES = frozenset(" \u3000")  # need no glyph
# What fontTools raises over a damaged table, whose bytes it takes at their word.
DAMAGED = (TTLibError, AssertionError, LookupError, OverflowError, ValueError, struct.error)
Style = Literal["any", "upright", "plain"]
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Font:
    """One face of a font file; without a path, the one inside Pillow."""

    name: str
    path: Path | None
    face: int
    digest: str

    @cached_property
    def styles(self) -> frozenset[Style]:
        """Upright: neither slanted nor handwriting; plain: without serifs too, as on plates."""
        if SLANTED.search(self.name):
            return frozenset({"any"})
        return frozenset({"any", "upright"} if SERIF.search(self.name) else get_args(Style))


Fonts = Mapping[str, Font]
"""The font of each character that will be drawn."""


def find_fonts(
    font_folders: Sequence[Path], *, system_folders: Sequence[Path] = SYSTEM_FOLDERS
) -> tuple[Font, ...]:
    """Find every usable TTF/OTF/TTC font; the one inside Pillow comes first.

    The order depends on names and contents, not on where the files lie.

    Raises:
        BadInput: A named folder that is not there.
    """
    for folder in font_folders:
        if not folder.is_dir():
            raise BadInput(f"Font folder {folder} does not exist (dataset.synthesis.font_folders)")
    found: dict[str, Font] = {}
    for folder in [*font_folders, *system_folders]:
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() in SUFFIXES and not PICTURES.search(path.name):
                font = _read_font(path)
                if font is not None:
                    found.setdefault(font.digest, font)
    embedded = Font(name="Aileron", path=None, face=0, digest="embedded")
    return (embedded, *sorted(found.values(), key=lambda font: (font.name, font.digest)))


def choose_fonts(
    fonts: Sequence[Font], text: str, *, rng: random.Random, style: Style = "any"
) -> Fonts:
    """Choose a font for each character of a text: the same for all where one has all.

    A font of the style is preferred to others that have the text.

    Raises:
        BadInput: A character that no font has.
    """
    shared = [font for font in fonts if all(draws(font, one) for one in text)]
    if shared:
        return dict.fromkeys(text, _pick(shared, rng=rng, style=style))
    require_characters(fonts, text)
    able = {one: [font for font in fonts if draws(font, one)] for one in text}
    return {one: _pick(its_fonts, rng=rng, style=style) for one, its_fonts in able.items()}


def require_characters(fonts: Sequence[Font], characters: Iterable[str]) -> None:
    """Refuse characters that no font has.

    Raises:
        BadInput: Names them, and how to get a font.
    """
    missing = missing_characters(fonts, characters)
    if missing:
        shown = "".join(missing[:20]) + ("…" if len(missing) > 20 else "")
        raise BadInput(
            f"None of the {len(fonts)} fonts found has {len(missing)} of the characters "
            f"to render: {shown} — install a font that has them (for Chinese: Debian package "
            "fonts-wqy-zenhei) or name its folder in dataset.synthesis.font_folders"
        )


def missing_characters(fonts: Sequence[Font], characters: Iterable[str]) -> list[str]:
    """The characters that no font has, sorted."""
    return sorted(one for one in set(characters) if not any(draws(font, one) for font in fonts))


def find_chinese_font() -> Path | None:
    """The first font of this machine that has Chinese characters."""
    return next((font.path for font in find_fonts([]) if "汉" in characters_of(font)), None)


def font_fingerprint(font_folders: Sequence[Path]) -> str:
    """Digest of what draws besides seed and parameters: the fonts and their rasteriser.

    Raises:
        BadInput: A named folder that is not there.
    """
    parts = [f"{font.name} {font.face} {font.digest}" for font in find_fonts(font_folders)]
    parts.append(f"freetype {features.version('freetype2')}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@lru_cache(maxsize=1 << 20)
def draws(font: Font, character: str) -> bool:
    """Whether a font names a character and has ink for it; some name what they leave blank."""
    if character not in characters_of(font):
        return False
    return character in SPACES or open_face(font, _ANY_PX).getmask(character).getbbox() is not None


@cache
def characters_of(font: Font) -> frozenset[str]:
    """The characters that a font's cmap names."""
    file = font.path or open_face(font, _ANY_PX).path
    try:
        with TTFont(file, fontNumber=font.face, lazy=True) as tables:
            return SPACES.union(map(chr, tables.getBestCmap() or ()))
    except DAMAGED as error:
        _LOG.warning("Font %s names no characters: %s", font.name, error)
        return SPACES


@lru_cache(maxsize=4096)
def open_face(font: Font, size_px: int) -> ImageFont.FreeTypeFont:
    """Open a font at a size; what is open stays open, as FreeType maps files into memory."""
    if font.path is None:
        embedded = ImageFont.load_default(size_px)
        if not isinstance(embedded, ImageFont.FreeTypeFont):
            raise BadInput("This Pillow has no FreeType: install Pillow from a wheel")
        return embedded
    return ImageFont.truetype(
        font.path, size_px, index=font.face, layout_engine=ImageFont.Layout.BASIC
    )


def _pick(able: Sequence[Font], *, rng: random.Random, style: Style) -> Font:
    return rng.choice([font for font in able if style in font.styles] or able)


def _read_font(path: Path) -> Font | None:
    """The face of a file to use: a collection's Simplified Chinese one, else the first."""
    names: list[str] = []
    try:
        # The head of a font file holds a checksum of every table in it.
        with path.open("rb") as file:
            head = file.read(1 << 16)
        for face in range(32 if path.suffix.lower() in COLLECTIONS else 1):
            opened = ImageFont.truetype(path, _ANY_PX, index=face)
            opened.getmask("0")
            names.append("{} {}".format(*opened.getname()))
    except OSError as error:
        if not names:
            _LOG.warning("Skipping font %s: %s", path, error)
            return None
    face = next((face for face, name in enumerate(names) if " SC " in name), 0)
    digest = hashlib.sha256(head + str(path.stat().st_size).encode()).hexdigest()
    return Font(name=names[face], path=path, face=face, digest=digest)
