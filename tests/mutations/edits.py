"""Damages bytes as disks, editors, networks and attackers do; a failing example is made small."""

from collections.abc import Callable, Sequence
from typing import Final

from hypothesis import strategies as st

TOKENS: Final = (
    b"\x00",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\r\n",
    b"\n",
    b"\t",
    b'"',
    b"\xff\xd9",
    b"\xc3\x28",
    b"\xef\xbb\xbf",
    b"NaN",
    b"1e999",
    b"-1",
    b"[" * 200,
    b"{" * 200,
    b"../",
    b"%00",
    b"\xe2\x80\xae",
    "　".encode(),
    b"null",
    b"&a *a",
    b"!!python/object:os.system",
)
"""What breaks readers: ends, signs, numbers out of range, depth, paths, half of a character."""

Edit = Callable[[bytes], bytes]


def damaged(good: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """One of the good inputs after one to six edits."""
    edits = st.lists(_edit(good), min_size=1, max_size=6)
    return st.builds(_apply, st.sampled_from(good), edits)


def _apply(data: bytes, edits: Sequence[Edit]) -> bytes:
    for edit in edits:
        data = edit(data)
    return data


def _edit(good: Sequence[bytes]) -> st.SearchStrategy[Edit]:
    at = st.floats(0, 1, exclude_max=True)
    length = st.integers(1, 64)
    return st.one_of(
        st.builds(_put, at, st.binary(min_size=1, max_size=1)),
        st.builds(_put, at, st.sampled_from(TOKENS)),
        st.builds(_insert, at, st.sampled_from(TOKENS)),
        st.builds(_cut, at, length),
        st.builds(_repeat, at, length, st.integers(2, 50)),
        st.builds(_end_at, at),
        st.builds(_graft, at, st.sampled_from(good)),
    )


def _put(at: float, value: bytes) -> Edit:
    return lambda data: (
        data[: int(at * len(data))] + value + data[int(at * len(data)) + len(value) :]
    )


def _insert(at: float, value: bytes) -> Edit:
    return lambda data: data[: int(at * len(data))] + value + data[int(at * len(data)) :]


def _cut(at: float, length: int) -> Edit:
    return lambda data: data[: int(at * len(data))] + data[int(at * len(data)) + length :]


def _repeat(at: float, length: int, times: int) -> Edit:
    def repeat(data: bytes) -> bytes:
        start = int(at * len(data))
        return data[:start] + data[start : start + length] * times + data[start + length :]

    return repeat


def _end_at(at: float) -> Edit:
    return lambda data: data[: int(at * len(data))]


def _graft(at: float, other: bytes) -> Edit:
    """Let it go on as another one does."""
    return lambda data: data[: int(at * len(data))] + other[int(at * len(other)) :]
