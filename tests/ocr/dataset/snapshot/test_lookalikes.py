import pytest

from ocr.dataset.snapshot.lookalikes import count_characters, find_lookalikes


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["A B", "合计，", "①②", "1½", "नमस्ते", "한글"], []),
        (["A\u00a0B"] * 1200, ["U+00A0 no-break space 1,200 times"]),
        (["A\ue000"], ["U+E000 private use once"]),
        (["می\u200cرود"], ["U+200C zero width non-joiner once"]),
        (["\u2764\ufe0f"], ["U+FE0F variation selector-16 once"]),
        (["葛\U000e0100"], ["U+E0100 variation selector-17 once"]),
        (["\u3164", "\u2800"], ["U+2800 braille pattern blank once", "U+3164 hangul filler once"]),
        (["\u212b", "\u00c5"], ["U+212B angstrom sign once, beside U+00C5 once"]),
        (["\uff76", "\u30ab"], ["U+FF76 halfwidth katakana letter ka once, beside U+30AB once"]),
        (["\u2f00", "\u4e00\u4e00"], ["U+2F00 kangxi radical one once, beside U+4E00 2 times"]),
    ],
)
def test_only_what_cannot_be_told_apart_is_named(texts: list[str], expected: list[str]) -> None:
    assert [each.describe() for each in find_lookalikes(count_characters(texts))] == expected
