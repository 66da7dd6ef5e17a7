from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.quarantine import Reason, TooManyRejected
from ocr.store import Store
from tests.ocr.dataset.pages.preparing import (
    ENTRY,
    LIMITS,
    add_copy,
    add_line,
    add_page,
    fetch,
    prepare,
)
from tests.ocr.dataset.pages.sheets import add_row, entry

BAD_PAGES: list[tuple[str, Callable[[Path], None], Reason]] = [
    ("no tab", lambda r: add_line(r, "train/0.png"), "malformed_row"),
    ("no JSON", lambda r: add_line(r, "train/0.png\t[{]"), "malformed_row"),
    ("nested too deeply", lambda r: add_line(r, "a.png\t" + "[" * 100_000), "malformed_row"),
    ("an object for regions", lambda r: add_page(r, {"points": []}), "malformed_row"),
    ("a missing image", lambda r: add_row(r, "det_train.txt", "gone.png", []), "missing_image"),
    (
        "a path out of the root",
        lambda r: add_row(r, "det_train.txt", "../x.png", []),
        "outside_root",
    ),
    ("too many regions", lambda r: add_page(r, [ENTRY] * 51), "too_many_regions"),
    (
        "a page twice",
        lambda r: add_row(
            r, "det_train.txt", "train/0.png", [entry("TRAIN 0", 0), entry("LINE 0", 1)]
        ),
        "duplicate",
    ),
    (
        "a page of test with other labels",
        lambda r: add_row(r, "det_train.txt", "test/0.png", [ENTRY]),
        "duplicate_with_other_text",
    ),
    (
        "a page of test again",
        lambda r: add_row(
            r, "det_train.txt", "test/0.png", [entry("TEST 0", 0), entry("SUM 2.00", 1)]
        ),
        "same_image_in_two_splits",
    ),
    (
        "a page of test, smaller, as JPEG and labelled by another",
        lambda r: add_copy(r, "test/0.png", [entry("test 0 SUM 2,00", 0)]),
        "near_image_in_two_splits",
    ),
]


@pytest.mark.parametrize(
    ("spoil", "reason"), [c[1:] for c in BAD_PAGES], ids=[c[0] for c in BAD_PAGES]
)
def test_bad_page_is_quarantined_with_its_reason_and_nothing_else_is(
    spoil: Callable[[Path], None], reason: Reason, store: Store, root: Path
) -> None:
    spoil(root)

    made = prepare(store, root, limits=replace(LIMITS, max_regions=50))

    (found,) = made.quarantine
    assert (found.reason, found.count) == (reason, 1)
    assert found.examples[0].where == "det_train.txt:13"
    assert len(found.examples[0].text) < 100
    assert made.counts == {
        "rows": 17,
        "accepted": 16,
        "quarantined": 1,
        "train": 12,
        "val": 2,
        "test": 2,
        "regions": 32,
        "ignored_regions": 0,
    }


def test_faulty_region_stays_on_its_page_as_ignored(
    store: Store, root: Path, tmp_path: Path
) -> None:
    crossing = {"transcription": "X", "points": [[8, 52], [180, 84], [180, 52], [8, 84]]}
    add_page(root, [ENTRY, crossing])

    made = prepare(store, root)

    (found,) = made.quarantine
    assert (found.reason, found.examples[0].where) == ("self_crossing", "det_train.txt:13 region 2")
    assert (made.counts["train"], made.counts["quarantined"]) == (13, 0)
    assert made.counts["ignored_regions"] == 1
    pages = list(fetch(store, made, tmp_path).samples("train"))
    (page,) = [page for page in pages if page.image == "new.png"]
    assert [region.ignored for region in page.regions] == [False, True]


def test_faults_of_a_page_that_is_dropped_are_not_counted(store: Store, root: Path) -> None:
    add_row(root, "det_train.txt", "test/0.png", [ENTRY, {"points": []}])

    made = prepare(store, root)

    assert [each.reason for each in made.quarantine] == ["duplicate_with_other_text"]


def test_too_many_bad_regions_stop_the_run(store: Store, root: Path) -> None:
    add_page(root, [{"transcription": "X", "points": []}] * 8)

    with pytest.raises(TooManyRejected, match=r"8 of 40 regions are bad \(20\.0%\)"):
        prepare(store, root, limits=replace(LIMITS, max_bad_share=0.15))


def test_regions_without_texts_are_told_but_not_bad(store: Store, root: Path) -> None:
    for name in ("det_train.txt", "det_val.txt", "det_test.txt"):
        lines = (root / name).read_text().replace("transcription", "label")
        (root / name).write_text(lines)

    made = prepare(store, root, limits=replace(LIMITS, max_bad_share=0.0))

    assert [(each.reason, each.count) for each in made.quarantine] == [("missing_text", 32)]
    assert (made.counts["accepted"], made.counts["ignored_regions"]) == (16, 0)


def test_hidden_characters_of_texts_are_bad_regions(store: Store, root: Path) -> None:
    for name in ("det_train.txt", "det_val.txt", "det_test.txt"):
        lines = (
            (root / name).read_text().replace('"transcription": "', '"transcription": "A\\u2028')
        )
        (root / name).write_text(lines)

    with pytest.raises(TooManyRejected, match=r"(?s)32 of 32 regions are bad .*control_character"):
        prepare(store, root, limits=replace(LIMITS, max_bad_share=0.5))


def confirm(root: Path, *, pages: int) -> PageLabelFiles:
    """Make a project of PPOCRLabel of the train pages, so many of them confirmed."""
    rows = (root / "det_train.txt").read_text().splitlines(keepends=True)
    (root / "train/Label.txt").write_text("".join(rows))
    checked = [row.split("\t")[0] + "\t1\n" for row in rows[:pages]]
    (root / "train/fileState.txt").write_text("".join(checked))
    return PageLabelFiles("ppocrlabel", root, "train/Label.txt")


def test_pages_that_nobody_has_checked_yet_are_told_but_not_bad(store: Store, root: Path) -> None:
    labels = confirm(root, pages=3)

    made = prepare(store, root, labels=labels, limits=replace(LIMITS, max_bad_share=0.0))

    assert [(each.reason, each.count) for each in made.quarantine] == [("unconfirmed_page", 9)]
    assert made.counts["accepted"] == 3


def test_split_that_is_empty_for_want_of_checked_pages_says_so(store: Store, root: Path) -> None:
    labels = confirm(root, pages=1)
    (root / "train/0.png").write_bytes(b"no image")

    with pytest.raises(
        TooManyRejected, match=r"(?s)split is empty .*11 {2}unconfirmed_page, e\.g\."
    ):
        prepare(store, root, labels=labels, limits=replace(LIMITS, max_bad_share=1.0))


def test_pages_that_nobody_has_checked_yet_hide_no_bad_ones(store: Store, root: Path) -> None:
    labels = confirm(root, pages=4)
    (root / "train/0.png").unlink()

    with pytest.raises(TooManyRejected, match=r"1 of 4 rows are bad \(25\.0%\)"):
        prepare(store, root, labels=labels, limits=replace(LIMITS, max_bad_share=0.2))
