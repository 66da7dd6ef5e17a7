"""Copies of a page: pages that look alike, by a 2048-bit difference hash, and read alike.

Pages of one printer look alike: at the 256 bits that tell text lines apart, different receipts
on mostly white scans are equal. With 16x128 cells, about the height of a line, and the share of
differing bits among those set in either, 340 receipts of the SROIE set differ by 0.26 or more;
JPEG at quality 50, half the size, blur or brightness change 0.19 at most. Two of its pairs are the
same scan twice (0.00 and 0.04). No hash tells forms of one template apart: their words do.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ocr.dataset.candidate_table import CandidateTable
from ocr.dataset.duplicates import join
from ocr.dataset.pages.label import PageLabel
from ocr.dataset.pages.upright import find_turn
from ocr.dataset.split import Codes
from ocr.image.perceptual_hash import difference_hash, turned_hashes
from ocr.image.pixels import GreyImage
from ocr.image.turning import ROTATIONS

_COLUMNS, _ROWS = 16, 128
HASH_BYTES = _COLUMNS * _ROWS // 8
_LEAST_BITS = 16  # of a page with less on it nothing can be said
_BLOCK = 256

_IDEOGRAPHS = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30fa\u30fc-\u30ff\uff66-\uff9f"
_UNSPACED = f"[{_IDEOGRAPHS}{_LETTERS}]"
"""Kana, Thai, Lao, Burmese and Khmer: with ideographs, what UAX #14 finds no line breaks in by
spaces (classes ID and SA)."""
_SPACES_BETWEEN = re.compile(rf"(?<={_UNSPACED})[\s\u200b]+(?={_UNSPACED})")
_RUN = re.compile(rf"(?P<unspaced>{_UNSPACED}+)|[^\W_{_IDEOGRAPHS}{_LETTERS}]+")

READ_SHARE = 0.75
"""Of the words of a page that a model read, and of its copy, so many are on both."""
FORM_PAGES = 5
"""Labelled pages that look like a page, from which on they are taken for filled forms."""
RARE_SHARE = 0.7
"""As `READ_SHARE`, by weight: most other forms have less, most copies more (ADR 0016)."""
_ROUNDING = 1e-6


@dataclass(frozen=True)
class CopyRule:
    """When two pages are copies of one.

    Attributes:
        bit_share: Share of the bits set in either hash up to which those of copies differ.
        word_share: Share of their words that copies have in common; 0: looks alone decide.
    """

    bit_share: float
    word_share: float


def page_hash(grey: GreyImage) -> bytes:
    """Hash a page to 256 bytes that change little when it is re-encoded, resized or brightened."""
    return difference_hash(grey, columns=_COLUMNS, rows=_ROWS)


def page_hashes(grey: GreyImage) -> bytes:
    """Hash a page as each of ROTATIONS turns it: which of these is upright, its labels say."""
    return b"".join(turned_hashes(grey, columns=_COLUMNS, rows=_ROWS))


def cluster_pages(candidates: CandidateTable[PageLabel], *, rule: CopyRule) -> Codes:
    """Number the clusters of copies of one page, one number per candidate."""
    ((texts, hashes),) = _look_at(candidates)
    return cluster_copies(hashes, count_words(texts), rule=rule)


def cluster_copies(hashes: NDArray[np.uint8], words: csr_array, *, rule: CopyRule) -> Codes:
    """Number the clusters of copies of one page, chains included.

    Every pair is compared, a block of pages with a block at a time: ten thousand pages take some
    ten seconds, and no pair is kept.

    Args:
        hashes: (N, L, 256) bytes of `page_hash`, of each page as it lies and as it may be turned:
            two pages look alike when they do in one way.
        words: (N, W) of `count_words`.
        rule: When two pages are copies of one.

    Returns:
        (N,) cluster numbers.
    """
    labels = np.arange(len(hashes), dtype=np.int32)
    blocks = _blocks(len(hashes))
    for first, left in enumerate(blocks):
        bits = _bits(hashes[left])
        for right in blocks[first:]:
            are_copies = _look_alike(bits, _bits(hashes[right]), share=rule.bit_share)
            are_copies &= labels[left, None] != labels[right]
            if are_copies.any():
                are_copies &= _read_alike(words[left], words[right], share=rule.word_share)
                rows, columns = (each.astype(np.int32) for each in np.nonzero(are_copies))
                labels = join(labels, rows + left.start, columns + right.start)
    return labels


def find_copies(
    read: CandidateTable[PageLabel], labelled: CandidateTable[PageLabel], *, rule: CopyRule
) -> NDArray[np.bool_]:
    """Tell which pages that a model read are copies of any that somebody labelled: (N,).

    What a model was not sure of, or a person could not read, has no words, and what is misread has
    others: the page with fewer words decides, and they need not all be right. A page that looks
    like many is a filled form: there the rarer words tell a copy, not what is printed on each.
    """
    (texts, hashes), (their_texts, others) = _look_at(read, labelled)
    words = count_words([*texts, *their_texts])
    theirs = words[len(read) :]
    are_copies = np.zeros(len(read), bool)
    for block in _blocks(len(read)):
        bits, ours = _bits(hashes[block]), words[: len(read)][block]
        alike = np.zeros((ours.shape[0], len(labelled)), bool)
        for other in _blocks(len(labelled)):
            alike[:, other] = _look_alike(bits, _bits(others[other]), share=rule.bit_share)
        common = (ours @ theirs.T).toarray()
        fewer = np.minimum(ours.sum(axis=1)[:, None], theirs.sum(axis=1))
        found = alike & (common >= min(rule.word_share, READ_SHARE) * fewer)
        forms = found.any(axis=1) & (alike.sum(axis=1) >= FORM_PAGES)
        share = min(rule.word_share, RARE_SHARE)
        found[forms] &= _share_rare_words(ours[forms], theirs, alike[forms], share=share)
        are_copies[block] = found.any(axis=1)
    return are_copies


def _share_rare_words(
    ours: csr_array, theirs: csr_array, alike: NDArray[np.bool_], *, share: float
) -> NDArray[np.bool_]:
    """Whether filled forms have rare words in common: (N, M).

    A word counts with log((n + 2) / (k + 1)) where it is on k of the n forms that look like a page.

    Args:
        ours: (N, W) words of pages that a model read.
        theirs: (M, W) those of labelled pages.
        alike: (N, M), which of these each page looks like.
        share: Of the weight of the page whose words weigh less.
    """
    looked_at = alike & (np.cumsum(alike, axis=1) <= _BLOCK)
    known = csr_array(csr_array(looked_at.astype(np.float64)) @ theirs)  # k, to what it takes off
    known.data = np.log1p(known.data)
    most = np.log(looked_at.sum(axis=1) + 2.0)[:, None]
    our_known = csr_array(ours.multiply(known))
    common = most * (ours @ theirs.T).toarray() - (our_known @ theirs.T).toarray()
    our_weight = most * ours.sum(axis=1)[:, None] - our_known.sum(axis=1)[:, None]
    their_weight = most * theirs.sum(axis=1) - (known @ theirs.T).toarray()
    least = share * np.minimum(our_weight, their_weight)
    return np.asarray(common >= least - _ROUNDING)


def _blocks(count: int) -> list[slice]:
    return [slice(at, at + _BLOCK) for at in range(0, count, _BLOCK)]


def count_words(pages: Iterable[Sequence[str]]) -> csr_array:
    """Say which words stand on which page: (N, W) of ones.

    A word is a run of letters and digits; of a number, and in scripts without spaces between
    words, two characters that stand together are one, for each tells something. Spaces between
    such letters do not count, nor case, nor how words are divided into regions. The second
    "total" of a page is another word than the first.

    Args:
        pages: Texts of the regions of each page.
    """
    return tally(chain.from_iterable(map(_words_in, page)) for page in pages)


def tally(pages: Iterable[Iterable[str]]) -> csr_array:
    """Say which words stand on which page, the second of a page being another word: (N, W)."""
    known: dict[tuple[str, int], int] = {}
    places = [[known.setdefault(word, len(known)) for word in _numbered(page)] for page in pages]
    ends = np.cumsum([0, *map(len, places)])
    columns = np.fromiter((place for page in places for place in page), np.int32, ends[-1])
    ones = np.ones(ends[-1], np.int32)
    return csr_array((ones, columns, ends), shape=(len(places), len(known)))


def _look_at(*tables: CandidateTable[PageLabel]) -> list[tuple[list[list[str]], NDArray[np.uint8]]]:
    """Texts of the pages of each table, and their hashes as they lie and as they are upright.

    Both, for of two copies that lie alike the labels of one may not say how: (N, 2, 256), or
    (N, 1, 256) where all pages are upright.
    """
    texts = [[_texts(each.row.label) for each in table] for table in tables]
    turns = [np.array([_turn(each.row.label) for each in table], np.intp) for table in tables]
    is_any_turned = any(each.any() for each in turns)
    found = []
    for table, of_each, turned in zip(tables, texts, turns, strict=True):
        hashes = table.column("hash").reshape(len(of_each), len(ROTATIONS), HASH_BYTES)
        upright = hashes[np.arange(len(of_each)), turned]
        ways = [hashes[:, 0], upright] if is_any_turned else [upright]
        found.append((of_each, np.stack(ways, axis=1)))
    return found


def _texts(label: PageLabel) -> list[str]:
    return [region.text for region in label.regions]


def _turn(label: PageLabel) -> int:
    """Return the position in ROTATIONS of how the labels say that a page is turned upright."""
    return ROTATIONS.index(find_turn([each for each in label.regions if not each.ignored]))


def _numbered(words: Iterable[str]) -> Iterator[tuple[str, int]]:
    seen: Counter[str] = Counter()
    for word in words:
        seen[word] += 1
        yield word, seen[word]


def _words_in(text: str) -> Iterator[str]:
    for found in _RUN.finditer(_SPACES_BETWEEN.sub("", text.casefold())):
        run = found[0]
        if found["unspaced"] or run.isdecimal():
            yield from (run[at : at + 2] for at in range(max(len(run) - 1, 1)))
        else:
            yield run


def _bits(hashes: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
    """Unpack (N, L, 256) to the bits of each way that a page may lie: L times (N, 2048)."""
    return [np.unpackbits(way, axis=1).astype(np.float32) for way in hashes.swapaxes(0, 1)]


def _look_alike(
    left: Sequence[NDArray[np.float32]], right: Sequence[NDArray[np.float32]], *, share: float
) -> NDArray[np.bool_]:
    """Tell which pages of both are alike in one way: (N, M)."""
    first, *others = (_are_alike(*each, share=share) for each in zip(left, right, strict=True))
    for each in others:
        first |= each
    return first


def _are_alike(
    left: NDArray[np.float32], right: NDArray[np.float32], *, share: float
) -> NDArray[np.bool_]:
    both = left @ right.T
    either = left.sum(axis=1)[:, None] + right.sum(axis=1) - both
    return np.asarray((either - both <= share * either) & (either >= _LEAST_BITS))


def _read_alike(left: csr_array, right: csr_array, *, share: float) -> NDArray[np.bool_]:
    common = (left @ right.T).toarray()
    most = np.maximum(left.sum(axis=1)[:, None], right.sum(axis=1))
    return np.asarray(common >= share * most)
