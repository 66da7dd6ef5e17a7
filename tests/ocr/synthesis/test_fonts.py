import logging
import random
import shutil
import string
from collections.abc import Callable
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from fontTools.ttLib.tables._g_l_y_f import Glyph

from ocr.errors import BadInput
from ocr.synthesis.fonts import (
    Font,
    Style,
    characters_of,
    choose_fonts,
    find_chinese_font,
    find_fonts,
    font_fingerprint,
    require_characters,
)

LATIN = string.ascii_letters + string.digits + string.punctuation + " "


def a_font_file() -> Path:
    for font in find_fonts([]):
        if font.path is not None:
            return font.path
    pytest.skip("no font on this machine")


@pytest.fixture
def font_of(tmp_path: Path) -> Callable[..., Font]:
    """Makes fonts that draw a few characters as boxes, and leave others blank."""

    def make(characters: str, *, blank: str = "", name: str = "Some Sans") -> Font:
        glyphs = {ord(one): f"u{ord(one):04X}" for one in characters + blank}
        shapes = [".notdef", *glyphs.values()]
        builder = FontBuilder(1000)
        builder.setupGlyphOrder(shapes)
        builder.setupCharacterMap(glyphs)
        blanks = {".notdef", *(glyphs[ord(one)] for one in blank)}
        builder.setupGlyf({shape: box(0 if shape in blanks else 500) for shape in shapes})
        builder.setupHorizontalMetrics(dict.fromkeys(shapes, (600, 0)))
        builder.setupHorizontalHeader(ascent=800, descent=-200)
        path = tmp_path / f"{name} {characters}.ttf"
        builder.save(path)
        return Font(name=name, path=path, face=0, digest=path.stem)

    return make


def box(side: int) -> Glyph:
    """A square of ink; none at all for a side of 0."""
    pen = TTGlyphPen(None)
    if side:
        pen.moveTo((0, 0))
        for corner in ((0, side), (side, side), (side, 0)):
            pen.lineTo(corner)
        pen.closePath()
    return pen.glyph()


def damage_cmap(font: Font, damage: Callable[[bytearray], bytes]) -> None:
    """Write other bytes into the table that names a font's characters."""
    assert font.path is not None
    with TTFont(font.path) as tables:
        entry = tables.reader.tables["cmap"]
    content = bytearray(font.path.read_bytes())
    place = slice(entry.offset, entry.offset + entry.length)
    content[place] = damage(content[place])
    font.path.write_bytes(content)


def test_the_font_inside_pillow_has_every_ascii_character() -> None:
    fonts = find_fonts([], system_folders=[])

    require_characters(fonts, LATIN)

    assert [font.name for font in fonts] == ["Aileron"]


def test_missing_characters_are_named_with_the_fix() -> None:
    fonts = find_fonts([], system_folders=[])

    with pytest.raises(BadInput, match=r"皖鲁.*fonts-wqy-zenhei.*font_folders"):
        choose_fonts(fonts, "皖鲁A1", rng=random.Random(0))


def test_chinese_texts_get_one_font_that_has_all_of_them() -> None:
    if find_chinese_font() is None:
        pytest.skip("no Chinese font on this machine")
    fonts = find_fonts([])

    chosen = [choose_fonts(fonts, "皖A·12", rng=random.Random(seed)) for seed in range(20)]

    assert all(len(set(for_text.values())) == 1 for for_text in chosen)
    assert all(for_text["皖"].path is not None for for_text in chosen)


def test_where_no_font_has_all_of_a_text_each_character_takes_one_that_has_it(
    font_of: Callable[..., Font],
) -> None:
    one, other = (font_of("A1"), font_of("汉1"))

    chosen = choose_fonts([one, other], "A汉", rng=random.Random(0))

    assert chosen == {"A": one, "汉": other}


def test_a_font_of_the_style_is_preferred_where_one_has_the_text(
    font_of: Callable[..., Font],
) -> None:
    fonts = [font_of("A1", name="Some Italic"), font_of("A1", name="Some Serif"), font_of("A")]

    def chosen(text: str, *, style: Style) -> set[Font]:
        seeds = (random.Random(seed) for seed in range(20))
        return {choose_fonts(fonts, text, rng=rng, style=style)[text] for rng in seeds}

    assert chosen("A", style="plain") == {fonts[2]}
    assert chosen("1", style="plain") == {*fonts[:2]}
    assert chosen("1", style="upright") == {fonts[1]}
    assert chosen("1", style="any") == {*fonts[:2]}


def test_a_font_has_the_characters_of_its_cmap_and_spaces(font_of: Callable[..., Font]) -> None:
    assert characters_of(font_of("A汉")) == set("A汉 \u3000")
    assert characters_of(font_of("")) == set(" \u3000")


@pytest.mark.parametrize(
    "damage",
    [
        lambda table: b"\xff" * len(table),
        lambda table: bytes(table).replace(b"\0\4\0", b"\0\0\0"),  # says it is of format 0
    ],
)
def test_a_font_whose_cmap_cannot_be_read_has_no_characters(
    font_of: Callable[..., Font], caplog: pytest.LogCaptureFixture, damage: Callable[..., bytes]
) -> None:
    font = font_of("A1", name="Torn")
    damage_cmap(font, damage)

    assert "A" not in characters_of(font)
    assert "Torn names no characters" in caplog.text


def test_what_a_font_names_but_leaves_blank_is_drawn_with_another(
    font_of: Callable[..., Font],
) -> None:
    blank, other = font_of("A", blank="1", name="Blank"), font_of("A1")

    assert choose_fonts([blank, other], "A1", rng=random.Random(0)) == {"A": other, "1": other}
    with pytest.raises(BadInput, match="has 1 of the characters to render: 1 "):
        require_characters([blank], "A 1")


def test_fonts_of_a_named_folder_are_found_in_any_place(tmp_path: Path) -> None:
    folder = tmp_path / "own" / "deep"
    folder.mkdir(parents=True)
    shutil.copy(a_font_file(), folder)

    fonts = find_fonts([tmp_path], system_folders=[])

    assert len(fonts) == 2
    assert fonts[1].path is not None
    assert fonts[1].path.parent == folder


def test_a_broken_font_file_is_skipped_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "broken.ttf").write_bytes(b"not a font")

    with caplog.at_level(logging.WARNING):
        fonts = find_fonts([tmp_path], system_folders=[])

    assert len(fonts) == 1
    assert "broken.ttf" in caplog.text


def test_a_font_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        find_fonts([tmp_path / "nowhere"])


def test_the_fingerprint_follows_the_fonts_and_not_their_place(tmp_path: Path) -> None:
    source = a_font_file()
    changed, moved = tmp_path / "changed", tmp_path / "moved"
    for folder in (changed, moved):
        folder.mkdir()
        shutil.copy(source, folder)
    content = bytearray((changed / source.name).read_bytes())
    (changed / source.name).write_bytes(content + b"\0")

    assert font_fingerprint([moved]) == font_fingerprint([])
    assert font_fingerprint([changed]) != font_fingerprint([])
