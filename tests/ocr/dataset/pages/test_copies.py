from collections.abc import Callable, Sequence

import cv2
import numpy as np
import pytest

from ocr.dataset.pages import copies as module
from ocr.dataset.pages.copies import (
    HASH_BYTES,
    cluster_copies,
    count_words,
    page_hash,
    page_hashes,
)
from ocr.image.pixels import Image, decode_image, encode_png, to_grey
from ocr.image.turning import ROTATIONS, turn_image
from tests.ocr.dataset.rules import COPIES


def receipt(seed: int) -> Image:
    """A white page with a header that all share, and rows of its own."""
    rng = np.random.default_rng(seed)
    page = np.full((900, 450, 3), 250, np.uint8)
    lines = [
        "BEST RESTAURANT",
        "GST 001 2003",
        "TEL 012 333",
        *(str(rng.integers(10**6, 10**8)) for _ in range(20)),
    ]
    for number, text in enumerate(lines):
        x = 40 if number < 3 else int(rng.integers(20, 250))
        cv2.putText(
            page, text, (x, 40 + 36 * number), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (20, 20, 20), 2
        )
    return page


CHANGES: dict[str, Callable[[Image], Image]] = {
    "PNG": lambda page: decode_image(encode_png(page), max_pixels=10**6),
    "JPEG": lambda page: np.asarray(
        cv2.imdecode(cv2.imencode(".jpg", page, [cv2.IMWRITE_JPEG_QUALITY, 50])[1], 1), np.uint8
    ),
    "half the size": lambda page: np.asarray(
        cv2.resize(page, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8
    ),
    "brighter": lambda page: np.asarray(cv2.convertScaleAbs(page, alpha=0.9, beta=20), np.uint8),
    "blurred": lambda page: np.asarray(cv2.GaussianBlur(page, (3, 3), 0), np.uint8),
}


def cluster(hashes: Sequence[bytes], *texts: str) -> list[int]:
    """Number the clusters of pages of these texts; without texts, by looks alone."""
    joined = np.frombuffer(b"".join(hashes), np.uint8).reshape(-1, 1, HASH_BYTES)
    words = count_words([[text] for text in texts] or [[] for _ in hashes])
    return list(map(int, cluster_copies(joined, words, rule=COPIES)))


@pytest.mark.parametrize("copy", CHANGES)
def test_copies_cluster(copy: str) -> None:
    pages = [receipt(0), receipt(1), CHANGES[copy](receipt(0))]

    first, second, third = cluster([page_hash(to_grey(page)) for page in pages])

    assert first == third != second


def test_a_page_that_lies_further_on_the_scanner_looks_another_way() -> None:
    """Which is why `rescans` looks for what such pages say."""
    moved = np.roll(receipt(0), (4, 4), axis=(0, 1))

    first, second = cluster([page_hash(to_grey(page)) for page in (receipt(0), moved)])

    assert first != second


def test_hashes_of_a_page_are_those_of_its_turns() -> None:
    page = receipt(0)

    turned = [page_hash(to_grey(turn_image(page, rotation))) for rotation in ROTATIONS]

    assert page_hashes(to_grey(page)) == b"".join(turned)


def test_receipts_of_one_printer_do_not_cluster() -> None:
    hashes = [page_hash(to_grey(receipt(seed))) for seed in range(30)]

    assert len(set(cluster(hashes))) == 30


def test_blank_pages_are_no_copies_of_each_other() -> None:
    blank = np.full((200, 200, 3), 255, np.uint8)

    assert cluster([page_hash(to_grey(blank)), page_hash(to_grey(blank))]) == [0, 1]


def test_copies_are_found_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 2)
    hashes = [page_hash(to_grey(receipt(seed))) for seed in (0, 1, 2, 3, 0, 1, 4)]

    clusters = cluster(hashes)

    assert (clusters[0], clusters[1]) == (clusters[4], clusters[5])
    assert len(set(clusters)) == 5


def test_no_pages_have_no_clusters() -> None:
    assert cluster([]) == []


ALIKE = page_hash(to_grey(receipt(0)))
TWENTY = " ".join(f"word{n}" for n in range(20))


@pytest.mark.parametrize(
    ("other", "is_copy"),
    [
        (TWENTY, True),
        (" ".join(reversed(TWENTY.upper().split())) + " -", True),
        (TWENTY.replace("word7", "w0rd7").replace("word8", "w0rd8"), True),
        (TWENTY.replace("word7", "A").replace("word8", "B").replace("word9", "C"), False),
        (TWENTY + " word1 word1 word1", False),
        ("", False),
    ],
    ids=["same", "order, case and marks", "two misread", "three others", "repeated", "unread"],
)
def test_pages_that_look_alike_are_copies_where_nine_of_ten_words_are_the_same(
    other: str, is_copy: bool
) -> None:
    first, second = cluster([ALIKE, ALIKE], TWENTY, other)

    assert (first == second) == is_copy


INVOICE = ["永安五金店", "发票号码：12803818", "日期：2026年5月3日", "螺丝刀", "×12", "￥95.20"]
MENU = ["ก๋วยเตี๋ยว 45", "ข้าวผัดกุ้ง", "60 บาท"]
BILINGUAL = ["Invoice No. 发票号码", "12803818", "Sold to 永安五金店"]


def cluster_regions(*pages: Sequence[str]) -> list[int]:
    """Number the clusters of pages that look alike, of the regions of each."""
    hashes = np.frombuffer(ALIKE * len(pages), np.uint8).reshape(-1, 1, HASH_BYTES)
    return list(map(int, cluster_copies(hashes, count_words(pages), rule=COPIES)))


@pytest.mark.parametrize(
    ("page", "again"),
    [
        (INVOICE, [*INVOICE[2:0:-1], INVOICE[0], "".join(INVOICE[3:])]),
        (INVOICE, [part for text in INVOICE for part in text.replace("：", "： ").split()]),
        (INVOICE, [" ".join(text) if text.isalpha() else text for text in INVOICE]),
        (MENU, ["".join(text.split()) for text in MENU]),
        (BILINGUAL, ["Invoice No.", "发票", "号码", "12803818 Sold to", "永安五金店"]),
    ],
    ids=["a region a row", "a region a value", "spaces", "Thai", "bilingual"],
)
def test_texts_without_spaces_between_words_may_be_divided_otherwise(
    page: Sequence[str], again: Sequence[str]
) -> None:
    first, second = cluster_regions(page, again)

    assert first == second


def test_a_few_more_characters_of_another_script_change_nothing_else() -> None:
    page = ["total 12.50", "合计", *(f"word{number} 字{number}" for number in range(9))]

    first, second = cluster_regions(page, [*page, "一二"])

    assert first == second


def test_numbers_weigh_as_much_as_the_printed_words_around_them() -> None:
    form = "增值税电子普通发票 发票代码 发票号码 开票日期 校验码 名称 永安五金店"
    pages = [[form, *numbers] for numbers in (["044031900111", "9527"], ["031002100311", "8146"])]

    first, second = cluster_regions(*pages)

    assert first != second


def test_invoices_of_one_template_with_other_numbers_are_no_copies() -> None:
    other = ["永安五金店", "发票号码：33159407", "日期：2026年5月3日", "螺丝刀", "×7", "￥36.40"]

    first, second = cluster_regions(INVOICE, other)

    assert first != second
