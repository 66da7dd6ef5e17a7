from collections.abc import Iterable

import cv2
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from ocr.dataset.lines.copies import HASH_BYTES, cluster_near, line_hash
from ocr.image.pixels import Image, decode_grey, decode_image, encode_jpeg, to_grey
from tests.ocr.image.pictures import draw_text
from tests.shared_data import PLATES, needs_plates

BITS = 24


def distance(one: Image, other: Image) -> int:
    first, second = (np.frombuffer(line_hash(to_grey(i)), np.uint8) for i in (one, other))
    return int(np.bitwise_count(first ^ second).sum())


def recompress(image: Image) -> Image:
    encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 80])[1]
    return np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), np.uint8)


def double(image: Image) -> Image:
    return np.asarray(cv2.resize(image, None, fx=2, fy=2), np.uint8)


def brighten(image: Image) -> Image:
    return np.asarray(cv2.convertScaleAbs(image, alpha=1.0, beta=10), np.uint8)


@pytest.mark.parametrize("change", [recompress, double, brighten])
def test_copies_stay_near(change: object) -> None:
    assert callable(change)
    for seed in range(20):
        image = draw_text("AB1234", seed=seed)
        assert distance(image, change(image)) <= BITS


@needs_plates
@pytest.mark.parametrize("change", [recompress, double, brighten])
def test_copies_of_real_plates_stay_near(change: object) -> None:
    assert callable(change)
    paths = sorted((PLATES / "images").iterdir())[:200]
    images = [decode_image(path.read_bytes(), max_pixels=10**6) for path in paths]

    assert max(distance(image, change(image)) for image in images) <= BITS


@needs_plates
def test_different_real_plates_stay_apart_whatever_their_text() -> None:
    images = [path.read_bytes() for path in sorted((PLATES / "images").iterdir())]
    joined = b"".join(line_hash(decode_grey(data, max_pixels=10**6)) for data in images)
    words = np.frombuffer(joined, np.uint64).reshape(-1, HASH_BYTES // 8)

    nearest = min(
        int(np.bitwise_count(words[at + 1 :] ^ words[at]).sum(axis=1).min())
        for at in range(len(words) - 1)
    )

    assert nearest > BITS


def random_hashes(
    count: int, *, copies: int, flips: int
) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """Random hashes, each followed by copies of it with a few bits flipped."""
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(count):
        bits = rng.integers(0, 2, size=256, dtype=np.uint8)
        rows.append(bits)
        for _ in range(copies):
            near = bits.copy()
            near[rng.choice(256, size=flips, replace=False)] ^= 1
            rows.append(near)
    return np.packbits(np.array(rows), axis=1).reshape(-1, HASH_BYTES)


def as_sets(labels: Iterable[int]) -> set[frozenset[int]]:
    members: dict[int, list[int]] = {}
    for at, label in enumerate(labels):
        members.setdefault(label, []).append(at)
    return {frozenset(rows) for rows in members.values()}


@pytest.mark.parametrize("bits", [0, 3, 24, 64])
def test_clusters_are_exactly_those_a_full_search_finds(bits: int) -> None:
    hashes = random_hashes(60, copies=2, flips=max(1, bits // 2))
    texts = np.arange(len(hashes)) // 12
    near = np.bitwise_count(hashes[:, None] ^ hashes[None]).sum(axis=2) <= bits
    near &= texts[:, None] == texts[None]

    labels = cluster_near(hashes, texts, bits=bits)

    assert as_sets(labels.tolist()) == as_sets(connected_components(near)[1].tolist())


def test_equal_hashes_of_different_texts_stay_apart() -> None:
    hashes = np.zeros((6, HASH_BYTES), np.uint8)

    labels = cluster_near(hashes, np.array([0, 1, 0, 2, 1, 0]), bits=BITS)

    assert as_sets(labels.tolist()) == {frozenset({0, 2, 5}), frozenset({1, 4}), frozenset({3})}


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_to_compare_is_no_error(count: int) -> None:
    hashes = np.zeros((count, HASH_BYTES), np.uint8)

    assert len(cluster_near(hashes, np.zeros(count, np.int64), bits=BITS)) == count


def test_thousands_of_one_look_and_text_are_one_cluster() -> None:
    hashes = np.zeros((20_000, HASH_BYTES), np.uint8)
    hashes[:, 0] = np.arange(20_000) % 256

    labels = cluster_near(hashes, np.zeros(20_000, np.int64), bits=BITS)

    assert len(set(labels.tolist())) == 1


def test_jpeg_of_a_synthesised_line_hashes_as_the_line() -> None:
    image = draw_text("B7")

    assert distance(image, decode_image(encode_jpeg(image), max_pixels=10**6)) <= BITS
