import unicodedata
from functools import partial
from pathlib import Path

import pytest

from ocr.errors import ArtifactNotFound, BadData
from ocr.models.charset import Charset


@pytest.mark.parametrize("data", [b"", b"a.png\t100\n"])
def test_a_file_without_a_line_of_one_character_is_no_dictionary(data: bytes) -> None:
    with pytest.raises(BadData, match=r"^d\.txt is no dictionary: no line of it is one character"):
        Charset.from_dictionary(data, source="d.txt", write=str)


def test_characters_of_texts_come_in_code_point_order() -> None:
    assert Charset.from_texts(["皖A1", "B A"]).characters == (" ", "1", "A", "B", "皖")


def test_first_character_is_class_one_and_blank_counts() -> None:
    charset = Charset(("a", "b"))

    assert charset.encode("ba") == [2, 1]
    assert charset.size == 3


def test_unknown_character_is_refused_by_name() -> None:
    with pytest.raises(BadData, match="'c' of 'ac' is not in the charset"):
        Charset(("a",)).encode("ac")


def test_written_charset_reads_back_with_its_space(tmp_path: Path) -> None:
    charset = Charset.from_texts(["a b", "皖"])

    charset.write(tmp_path / "charset.txt")

    assert Charset.read(tmp_path / "charset.txt") == charset


@pytest.mark.parametrize("characters", [("\ufeff",), ("\ufeff", "！"), ("a", "\ufeff")])
def test_a_mark_of_files_that_is_a_character_keeps_its_class(characters: tuple[str, ...]) -> None:
    charset = Charset(characters)

    assert Charset.from_bytes(charset.to_bytes(), source="charset.txt") == charset


@pytest.mark.parametrize("content", [b"a\r\nb\r\n", b"\xef\xbb\xbfa\nb", b"a\n\nb\n\n"])
def test_line_ends_marks_and_empty_lines_do_not_matter(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "dict.txt").write_bytes(content)

    assert Charset.read(tmp_path / "dict.txt").characters == ("a", "b")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\nbc\n", "line 2 is 'bc', expected one character"),
        (b"a\nb\na\n", "line 3 repeats 'a'"),
        ("皖\n".encode("gbk"), "is not UTF-8: .* iconv -f gb18030"),
    ],
)
def test_bad_charset_file_is_refused_with_its_place(
    content: bytes, message: str, tmp_path: Path
) -> None:
    (tmp_path / "dict.txt").write_bytes(content)

    with pytest.raises(BadData, match=message):
        Charset.read(tmp_path / "dict.txt")


def test_dictionary_is_its_lines_of_one_character_each_once() -> None:
    data = "a\n🇩🇪\nb\r\na\nfi\n🇩🇪\n \n".encode()

    charset, left_out = Charset.from_dictionary(data, source="dict.txt", write=str)

    assert charset.characters == ("a", "b", " ")
    assert left_out == ("🇩🇪", "fi")
    with pytest.raises(BadData, match=r"dict\.txt is not UTF-8"):
        Charset.from_dictionary("皖\n".encode("gbk"), source="dict.txt", write=str)


def test_a_character_that_is_written_as_another_is_that_and_none_moves() -> None:
    """PaddleOCR's dictionaries have U+F979 beside U+51C9, the sign for ohm, and U+09DC."""
    data = "\uf979\n\u2126\n\u51c9\ne\u0301\n\u09dc\nA\n".encode()

    charset, left_out = Charset.from_dictionary(
        data, source="dict.txt", write=partial(unicodedata.normalize, "NFC")
    )

    assert charset.characters == ("\uf979", "\u03a9", "\u51c9", "\u09dc", "A")
    assert left_out == ("e\u0301",)


def test_missing_charset_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArtifactNotFound, match=r"dict\.txt"):
        Charset.read(tmp_path / "dict.txt")


def test_diff_names_new_missing_and_never_seen_characters() -> None:
    diff = Charset(("a", "b", "c")).diff(Charset(("b", "z")), texts=["ab", "b"])

    assert diff.new == ("a", "c")
    assert diff.missing == ("z",)
    assert diff.unseen == ("c",)
    assert diff.describe() == "new ac; gone z; never in train c"


def test_of_many_characters_some_are_named_and_the_rest_counted() -> None:
    known = tuple(chr(0x4E00 + number) for number in range(6623))

    said = Charset(known).diff(Charset(known), texts=["一"]).describe()

    assert said == f"never in train {''.join(known[1:101])} and 6,522 more"


def test_equal_charsets_differ_in_nothing() -> None:
    charset = Charset(("a", "b"))

    assert charset.diff(charset, texts=["ab"]).describe() == ""
