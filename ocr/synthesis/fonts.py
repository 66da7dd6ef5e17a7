"""The fonts of this machine, and the digest of all that draws with them."""

import hashlib
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PIL import ImageFont, features

from ocr.errors import BadInput

SYSTEM_FOLDERS = (
    Path("/usr/share/fonts"),
    Path("/usr/local/share/fonts"),
    Path("~/.local/share/fonts"),
    Path("~/.fonts"),
    Path("/Library/Fonts"),
    Path("/System/Library/Fonts"),
    Path("C:/Windows/Fonts"),
)
SUFFIXES = (".ttf", ".otf", ".ttc", ".otc")
PICTURES = re.compile(r"symbol|dings|emoji|barcode|math|braille|icon|awesome", re.IGNORECASE)
SLANTED = re.compile(r"italic|oblique|slanted|script|hand", re.IGNORECASE)
SERIF = re.compile(r"(?<!sans)[ -]?serif|roman|times|georgia|song|ming|mincho", re.IGNORECASE)
RENDERER = 1  # to be raised when the same seed would draw other pictures
_NAME_PX = 20  # any size will do to read a name
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Font:
    """One face of a font file; without a path, the one inside Pillow."""

    name: str
    path: Path | None
    face: int
    digest: str

    @property
    def is_upright(self) -> bool:
        """Neither slanted nor handwriting."""
        return not SLANTED.search(self.name)

    @property
    def is_plain(self) -> bool:
        """Upright and without serifs, as plates and counters are lettered."""
        return self.is_upright and not SERIF.search(self.name)


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
        for path in sorted(_at_home(folder).rglob("*")):
            if path.suffix.lower() in SUFFIXES and not PICTURES.search(path.name):
                font = _read_font(path)
                if font is not None:
                    found.setdefault(font.digest, font)
    embedded = Font(name="Aileron", path=None, face=0, digest="embedded")
    return (embedded, *sorted(found.values(), key=lambda font: (font.name, font.digest)))


def font_fingerprint(font_folders: Sequence[Path]) -> str:
    """Digest of what draws the lines besides seed and parameters: fonts, rasteriser, our code.

    Raises:
        BadInput: A named folder that is not there.
    """
    parts = [f"{font.name} {font.face} {font.digest}" for font in find_fonts(font_folders)]
    parts.append(f"renderer {RENDERER}")
    parts.append(f"pillow {features.version('pil')} freetype {features.version('freetype2')}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _at_home(folder: Path) -> Path:
    try:
        return folder.expanduser()
    except RuntimeError:  # a user without a home, as containers have
        return folder


def _read_font(path: Path) -> Font | None:
    try:
        face, name = _chosen_face(path)
        # The head of a font file holds a checksum of every table in it.
        with path.open("rb") as file:
            head = file.read(1 << 16)
        font = Font(
            name=name,
            path=path,
            face=face,
            digest=hashlib.sha256(head + str(path.stat().st_size).encode()).hexdigest(),
        )
        open_face(font, _NAME_PX).getmask("0")
    except OSError as error:
        _LOG.warning("Skipping font %s: %s", path, error)
        return None
    return font


def _chosen_face(path: Path) -> tuple[int, str]:
    """The face to use: a collection's Simplified Chinese one, else the first."""
    names: list[str] = []
    try:
        for face in range(32):
            family, style = ImageFont.truetype(path, _NAME_PX, index=face).getname()
            names.append(f"{family} {style}")
            if path.suffix.lower() in (".ttf", ".otf") or (family or "").endswith(" SC"):
                return face, names[-1]
    except OSError:
        if not names:
            raise
    return 0, names[0]


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
