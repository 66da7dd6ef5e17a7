from collections.abc import Sequence

import pytest

from ocr.dataset.pages.labels import RawPage
from ocr.dataset.pages.labels.icdar2015 import parse_icdar2015
from ocr.dataset.pages.labels.icdar_relatives import refuse_relatives
from ocr.dataset.quarantine import Rejection
from ocr.errors import BadData

QUAD = "100,200,180,200,180,230,100,230"


def read(*pages: Sequence[str]) -> list[RawPage | Rejection]:
    """Pages of these texts, all in one place."""
    files = [
        (f"gt_{number}.txt", "".join(f"{QUAD},{text}\n" for text in texts))
        for number, texts in enumerate(pages, start=1)
    ]
    parsed = parse_icdar2015(files, images=frozenset(), folder="train", split=None)
    return list(refuse_relatives(parsed))


@pytest.mark.parametrize(
    "texts",
    [
        ["Latin,GUCCI", "Chinese,合计", "Symbols,###", "None,+"],
        ['0,"合计"', '1,"###"', '0,"12,50"'],
        ["96,215,SIMPLIFIED", "96.5,215.5,12.50", "99,225,99,220,###"],
        ["140,232,120,234,101,233,CURVED", "-20,232,TEXT", "100,230,1,000.00"],
    ],
    ids=["MLT", "RCTW-17", "polygons", "curved"],
)
def test_folder_of_another_format_is_refused_with_its_first_text(texts: list[str]) -> None:
    with pytest.raises(BadData) as refusal:
        read(["###"], texts[:1], texts[1:] * 5)

    assert f"train/gt_2.txt region 1: the text is {texts[0]!r}" in str(refusal.value)
    assert "expected x1,y1,x2,y2,x3,y3,x4,y4,text" in str(refusal.value)


@pytest.mark.parametrize(
    "texts",
    [
        [*["Latin,GUCCI"] * 10, "TOTAL"],
        ["1,000.00", "1,234,567", "3,14,25,36,40", "12,50,EUR"] * 5,
        ["101,230,000", "99,235,500", "120,240,750"] * 5,
        ["None, thanks", "None, thanks", "Symbols,"] * 5,
        ["Latin,GUCCI", "Latin,PRADA"],
        ["###", "*", "###"] * 5,
        [],
    ],
    ids=["one of its own", "numbers", "amounts", "sentences", "two", "illegible", "none"],
)
def test_texts_that_happen_to_begin_so_are_texts(texts: list[str]) -> None:
    assert len(read([], texts)) == 2
