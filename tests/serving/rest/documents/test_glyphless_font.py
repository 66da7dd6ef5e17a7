from serving.rest.documents.glyphless_font import MOST_CODES, GlyphlessFont


def test_each_character_has_one_code_of_two_bytes() -> None:
    font = GlyphlessFont()

    assert font.encode("a𠮷a") == "<000100020001>"


def test_more_characters_than_codes_are_written_as_replaced() -> None:
    font = GlyphlessFont()
    font.encode("".join(map(chr, range(0x10000, 0x10000 + MOST_CODES - 1))))

    assert font.encode("ab") == "<FFFFFFFF>"
    assert font.encode(chr(0x10000)) == "<0001>"
