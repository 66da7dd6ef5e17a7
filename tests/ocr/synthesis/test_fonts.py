import logging
import random
import shutil
import string
from pathlib import Path

import pytest

from ocr.errors import BadInput
from ocr.synthesis.font_set import FontSet, find_cjk_font
from ocr.synthesis.fonts import find_fonts, font_fingerprint

LATIN = string.ascii_letters + string.digits + string.punctuation + " "


def a_font_file() -> Path:
    for font in find_fonts([]):
        if font.path is not None:
            return font.path
    pytest.skip("no font on this machine")


def test_the_font_inside_pillow_has_every_ascii_character() -> None:
    fonts = FontSet(find_fonts([], system_folders=[]))

    fonts.require(LATIN)

    assert [font.name for font in fonts.fonts] == ["Aileron"]


def test_missing_characters_are_named_with_the_fix() -> None:
    fonts = FontSet(find_fonts([], system_folders=[]))

    with pytest.raises(BadInput, match=r"皖鲁.*fonts-wqy-zenhei.*font_folders"):
        fonts.choose("皖鲁A1", rng=random.Random(0))


def test_chinese_texts_get_one_font_that_has_all_of_them() -> None:
    if find_cjk_font() is None:
        pytest.skip("no Chinese font on this machine")
    fonts = FontSet(find_fonts([]))

    chosen = {fonts.choose("皖A·12", rng=random.Random(seed)) for seed in range(20)}

    assert all(len(set(for_text)) == 1 for for_text in chosen)
    assert all(for_text[0].path is not None for for_text in chosen)


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
