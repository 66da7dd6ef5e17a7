"""The text model: what is counted, and the file that a bundle keeps."""

from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZipFile

import numpy as np
import pytest
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.models.charset import Charset
from ocr.models.text_model import MOST_NGRAMS, ORDER, TextModel, count_ngrams

CHARSET = Charset(("0", "1", "A", "٣", "$"))
ZERO, A, DOLLAR, END = 1, 3, 5, 6


def model(*texts: str) -> TextModel:
    return TextModel(*count_ngrams(texts, CHARSET), weight=0.5)


def test_ngrams_reach_from_before_a_text_to_its_end_and_know_no_number() -> None:
    ngrams, counts, numerals = count_ngrams(["A1٣", "A000A"], CHARSET)

    assert not len(numerals)
    assert dict(zip(map(tuple, ngrams.tolist()), counts.tolist(), strict=True)) == {
        (0, 0, 0, A): 2,
        (0, 0, A, ZERO): 2,
        (0, A, ZERO, END): 1,
        (0, A, ZERO, A): 1,
        (A, ZERO, A, END): 1,
    }


def test_the_sign_that_ends_a_line_is_no_end() -> None:
    ngrams, _, _ = count_ngrams(["$"], CHARSET)

    assert ngrams.tolist() == [[0, 0, 0, DOLLAR], [0, 0, DOLLAR, END]]


def test_texts_of_other_characters_are_left_out() -> None:
    assert len(count_ngrams(["AB", "x"], CHARSET)[0]) == 0


def test_of_too_many_the_rarest_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ocr.models.text_model.MOST_NGRAMS", 2)

    ngrams, counts, _ = count_ngrams(["AA", "AA", "A"], CHARSET)

    assert ngrams.tolist() == [[0, 0, 0, A], [0, 0, A, A]]
    assert counts.tolist() == [3, 2]


def test_a_file_is_read_as_written_and_always_the_same(tmp_path: Path) -> None:
    one, other = tmp_path / "one.npz", tmp_path / "other.npz"
    model("A1", "AA$").write(one)
    model("AA$", "A0").write(other)

    read = TextModel.read(one)

    assert one.read_bytes() == other.read_bytes()
    np.testing.assert_array_equal(read.ngrams, model("A1", "AA$").ngrams)
    assert (read.counts.tolist(), read.weight) == (model("A1", "AA$").counts.tolist(), 0.5)
    with np.load(one) as stored:
        assert set(stored) == {"ngrams", "counts", "weight"}  # as a release of before writes it


def test_a_release_that_knows_digits_alone_finds_no_ngrams_of_other_numerals(
    tmp_path: Path,
) -> None:
    charset = Charset(("1", "A", "叁", "參", "参"))
    TextModel(*count_ngrams(["A1叁", "叁參A", "参"], charset), weight=0.5).write(tmp_path / "x.npz")

    read = TextModel.read(tmp_path / "x.npz")

    with np.load(tmp_path / "x.npz") as stored:
        assert "ngrams" not in stored
    assert read.numerals.tolist() == [1, 3, 4]
    assert read.ngrams.tolist() == [
        *([0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 5], [0, 0, 1, 2], [0, 0, 2, 1], [0, 0, 5, 6]),
        *([0, 1, 2, 6], [0, 2, 1, 6]),
    ]


def test_the_largest_model_is_read(tmp_path: Path) -> None:
    numerals = np.arange(1, 1901, dtype=np.uint32)
    many = TextModel(**many_ngrams(MOST_NGRAMS), numerals=numerals, weight=0.5)
    many.write(tmp_path / "texts.npz")

    assert len(TextModel.read(tmp_path / "texts.npz").counts) == MOST_NGRAMS


def save_packed(path: Path, header: bytes, *, packing: int = ZIP_DEFLATED) -> None:
    with ZipFile(path, "w", packing) as archive:
        archive.writestr("ngrams.npy", header)


def array_of(shape: str) -> bytes:
    header = f"{{'descr': '<u4', 'fortran_order': False, 'shape': {shape}}}".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


def many_ngrams(count: int) -> dict[str, NDArray[np.uint32]]:
    ngrams = np.ones((count, ORDER), np.uint32)
    return {"ngrams": ngrams, "counts": ngrams[:, 0]}


def spoil_packed(path: Path) -> None:
    """Damage what is packed, and none of the names and sizes around it."""
    model("A1").write(path)
    data = bytearray(path.read_bytes())
    start = 30 + data[26] + data[28]  # of the first member's content
    data[start] = 0xFF
    path.write_bytes(data)


def save_numbered(path: Path, **changes: object) -> None:
    save(path, numbered_ngrams=model("A1").ngrams, **changes)


def save(path: Path, **changes: object) -> None:
    given = model("A1")
    parts = {"ngrams": given.ngrams, "counts": given.counts, "weight": np.array(0.5)}
    np.savez(path, **{**parts, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:80]),
        lambda path: path.unlink(),
        lambda path: save(path, counts=np.array([1], dtype=np.uint32)),
        lambda path: save(path, counts=np.zeros(len(model("A1").counts), dtype=np.uint32)),
        lambda path: save(path, ngrams=np.zeros((3, 4), np.float32)),
        lambda path: save(path, ngrams=np.array([{"a": 1}], dtype=object)),
        lambda path: save_numbered(path, numerals=np.array([[1]], dtype=np.uint32)),
        lambda path: save_numbered(path, numerals=np.array(["1"])),
        lambda path: save_numbered(path),
        lambda path: save(path, weight=np.array(np.nan)),
        lambda path: save(path, weight=np.array(9.0)),
        lambda path: save(path, weight=np.array([0.1, 0.2])),
        lambda path: np.savez(path, ngrams=model("A").ngrams),
        lambda path: save(path, **many_ngrams(10**6)),
        lambda path: save_packed(path, b"", packing=ZIP_LZMA),
        lambda path: save_packed(path, array_of("(1000000000000, 4)")),
        lambda path: save_packed(path, array_of("(1000000000000000000000000000000, 4)")),
        lambda path: save_packed(path, array_of("(" * 5000)),
        spoil_packed,
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    path = tmp_path / "texts.npz"
    save(path)

    damage(path)

    with pytest.raises(BadData, match=r"texts\.npz"):
        TextModel.read(path)
