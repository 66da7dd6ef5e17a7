import random
import re

import pytest

from ocr.errors import BadInput
from ocr.synthesis.lines.texts import Corpus, TextSource, read_sources


def source(*, pattern: str = "", corpus: bytes | None = None) -> TextSource:
    file = None if corpus is None else Corpus("corpus.txt", corpus)
    return read_sources(patterns=[pattern] if pattern else [], corpus=file)[0]


@pytest.mark.parametrize(
    "pattern",
    [
        r"[A-Z]{2}-\d{4}",
        r"SN:(AB|CD)\w{3,6}",
        r"\d+\s?kWh",
        "京A.{5}",
        r"\d{5,7}(\.\d{1,2})?",
        "[京沪皖][A-HJ-NP-Z]([A-HJ-NP-Z0-9]{5}|[DF][0-9]{5})",
    ],
)
def test_texts_of_a_pattern_match_it(pattern: str) -> None:
    drawn = source(pattern=pattern)

    texts = [drawn.draw(random.Random(seed)) for seed in range(300)]

    assert all(text.isprintable() for text in texts)
    assert all(text == " ".join(text.split()) for text in texts)
    assert len(set(texts)) > 150
    if ".{" not in pattern:
        assert all(re.fullmatch(pattern, text) for text in texts)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("[A-Z", "cannot be drawn"),
        ("a{500}", "cannot be drawn"),
        ("(ab{90}){60,}", "allowed are 1 to 200"),
        ("x?", "allowed are 1 to 200"),
        ("[^0-9]{4}", "name what to draw"),
        (r"(?P<a>\d)(?P=b)", "cannot be drawn"),
        ("שלום", "right-to-left"),
        ("\\x07", "control characters"),
    ],
)
def test_a_pattern_that_gives_no_line_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        source(pattern=pattern)


def test_a_corpus_gives_its_lines_cleaned() -> None:
    drawn = source(corpus="\ufeff合计 12.50\r\n\n  cafe\u0301 \t au  lait \n".encode())

    texts = {drawn.draw(random.Random(seed)) for seed in range(50)}
    assert texts == {"合计 12.50", "café au lait"}
    assert set(drawn.known_characters) == set("合计 12.50café au lait")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no text"),
        (b" \n\n", "has no text"),
        ("合计".encode("gb18030"), "UTF-8"),
        (b"fine\n" + b"x" * 201, "corpus.txt:2 gave a text of 201 characters"),
    ],
)
def test_a_corpus_without_usable_lines_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        source(corpus=content)


def test_nothing_to_draw_from_is_refused() -> None:
    with pytest.raises(BadInput, match="name patterns or a corpus"):
        read_sources(patterns=[], corpus=None)


def test_a_line_of_accents_is_refused_by_its_length_at_once() -> None:
    with pytest.raises(BadInput, match=r"corpus\.txt:1 gave a text of 600001 characters"):
        source(corpus=("a" + "\u0315\u0300" * 300_000).encode())
