import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
import pytest

from ocr.dataset.inputs import RenderedSet
from ocr.dataset.pages.inspection import RenderedPage
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.limits import PageLimits
from ocr.dataset.pages.preparation import prepare_pages
from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import PageSnapshot, open_page_snapshot
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.quarantine import Reason, TooManyRejected
from ocr.errors import BadInput
from ocr.image.pixels import Image, encode_jpeg
from ocr.store import Store, open_store
from ocr.store.folder import download_folder
from tests.ocr.dataset.pages.sheets import add_row, draw_page, entry, write_page, write_pages
from tests.ocr.dataset.rules import PAGE_LIMITS, SPLIT
from tests.shared_data import RECEIPTS, needs_receipts

TRAIN = {f"train/{n}.png": [f"TRAIN {n}", f"LINE {n}"] for n in range(12)}
VAL = {f"val/{n}.png": [f"VAL {n}", "SUM 1.00"] for n in range(2)}
TEST = {f"test/{n}.png": [f"TEST {n}", "SUM 2.00"] for n in range(2)}
LIMITS = replace(PAGE_LIMITS, max_bad_share=0.5)
ENTRY = entry("NEW", 0)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    write_pages(folder, "det_train.txt", TRAIN)
    write_pages(folder, "det_val.txt", VAL)
    write_pages(folder, "det_test.txt", TEST)
    return folder


def files(root: Path) -> PageLabelFiles:
    return PageLabelFiles("paddleocr", root, "det_train.txt", "det_val.txt", "det_test.txt")


def prepare(store: Store, root: Path, *, limits: PageLimits = LIMITS) -> SnapshotRef:
    return prepare_pages(store, name="d", labels=files(root), limits=limits, split=SPLIT)


def fetch(store: Store, made: SnapshotRef, folder: Path) -> PageSnapshot:
    return open_page_snapshot(download_folder(store, prefix=made.key, folder=folder / made.digest))


def add_page(root: Path, entries: object) -> None:
    write_page(root, "new.png", ["NEW", "PAGE"])
    add_row(root, "det_train.txt", "new.png", entries)


def add_line(root: Path, line: str) -> None:
    with (root / "det_train.txt").open("a") as file:
        file.write(line + "\n")


def add_copy(root: Path, image: str, entries: object) -> None:
    page = cv2.imread(str(root / image))
    assert page is not None
    smaller = cv2.resize(page, None, fx=0.8, fy=0.8, interpolation=cv2.INTER_AREA)
    (root / "copy.jpg").write_bytes(encode_jpeg(np.asarray(smaller, np.uint8)))
    add_row(root, "det_train.txt", "copy.jpg", entries)


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
        lambda r: add_copy(r, "test/0.png", [ENTRY]),
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


def test_pages_come_back_with_pixels_and_regions(store: Store, root: Path, tmp_path: Path) -> None:
    snapshot = fetch(store, prepare(store, root), tmp_path)

    (found,) = [page for page in snapshot.images("test") if page[0].image == "test/1.png"]

    sample, image = found
    assert image.shape == (sample.height, sample.width, 3) == (100, 200, 3)
    assert (sample.split, sample.source) == ("test", "det_test.txt")
    assert sample.regions == (
        Region(((8, 12), (180, 12), (180, 44), (8, 44)), "TEST 1"),
        Region(((8, 52), (180, 52), (180, 84), (8, 84)), "SUM 2.00"),
    )


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
    pages = fetch(store, made, tmp_path).samples("train")
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


def test_second_run_opens_no_image(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = prepare(store, root)
    monkeypatch.setattr("ocr.image.folder.ImageFolder.read", None)

    again = prepare(store, root)

    assert again.cached
    assert replace(again, cached=False) == made


def test_same_pages_give_the_same_digest_in_another_place_and_time(
    store: Store, root: Path, tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere"
    root.rename(other)
    made = prepare(store, other)
    for image in TRAIN:
        os.utime(other / image, (1, 1))

    again = prepare(open_store(str(tmp_path / "store2")), other)

    assert made.digest == again.digest


@pytest.mark.parametrize("kind", ["paddleocr", "ppocrlabel"])
def test_label_files_of_one_name_keep_their_own_regions(
    kind: Literal["paddleocr", "ppocrlabel"], store: Store, tmp_path: Path
) -> None:
    root = tmp_path / "data"
    texts = {
        f"{folder}/{n}.png": [f"{folder} {n}", *["MORE"] * at]
        for at, folder in enumerate(("train", "val", "test"))
        for n in range(3)
    }
    for folder in ("train", "val", "test"):
        pages = {image: texts[image] for image in texts if image.startswith(folder)}
        write_pages(root, f"{folder}/Label.txt", pages)
    train, val, test = (str(root / folder / "Label.txt") for folder in ("train", "val", "test"))

    made = prepare_pages(
        store,
        name="d",
        labels=PageLabelFiles(kind, root, train, val, test),
        limits=LIMITS,
        split=SPLIT,
    )

    samples = fetch(store, made, tmp_path).samples()
    assert {page.image: [region.text for region in page.regions] for page in samples} == texts
    assert {page.image: page.split for page in samples} == {i: i.split("/")[0] for i in texts}


@dataclass(frozen=True)
class Page:
    image: Image
    regions: tuple[Region, ...]
    source: str = "synthesis:invoice"


def rendered(count: int) -> RenderedSet[RenderedPage]:
    region = Region(((8.0, 12.0), (180.0, 12.0), (180.0, 44.0), (8.0, 44.0)), "SYN")
    pages = (Page(draw_page(["SYN", str(n)], seed=n), (region,)) for n in range(count))
    return RenderedSet[RenderedPage](pages, count=count, fingerprint=str(count))


def test_rendered_pages_alone_are_split(store: Store) -> None:
    made = prepare_pages(
        store, name="d", labels=None, limits=LIMITS, split=SPLIT, rendered=rendered(20)
    )

    assert made.counts["accepted"] == 20
    assert min(made.counts["val"], made.counts["test"]) > 0


def test_rendered_pages_beside_real_ones_join_train_only(
    store: Store, root: Path, tmp_path: Path
) -> None:
    made = prepare_pages(
        store,
        name="d",
        labels=files(root),
        limits=LIMITS,
        split=SPLIT,
        rendered=rendered(5),
    )

    pages = fetch(store, made, tmp_path).samples()
    assert {page.split for page in pages if page.source == "synthesis:invoice"} == {"train"}
    assert made.counts["train"] == 17


def test_nothing_to_prepare_is_wrong_usage(store: Store) -> None:
    with pytest.raises(BadInput, match="nothing to prepare"):
        prepare_pages(store, name="d", labels=None, limits=LIMITS, split=SPLIT)


@pytest.mark.slow
@needs_receipts
def test_real_receipts_lose_only_the_one_that_stands_in_two_splits(store: Store) -> None:
    made = prepare(store, RECEIPTS, limits=PAGE_LIMITS)

    assert (made.counts["train"], made.counts["val"], made.counts["test"]) == (239, 40, 60)
    (found,) = made.quarantine
    assert found.examples[0].image == "images/076.jpg"
    assert "images/625.jpg" in found.examples[0].detail
