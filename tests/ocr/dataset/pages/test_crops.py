from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.lines.snapshot import LineSnapshot, open_line_snapshot
from ocr.dataset.pages.crops import cut_region, prepare_crops
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.limits import PageLimits
from ocr.dataset.pages.preparation import prepare_pages
from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import open_page_snapshot
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.process_pool import ProcessPool
from ocr.errors import ArtifactNotFound, BadData
from ocr.image.pixels import encode_jpeg, encode_png
from ocr.store import Store, open_store
from ocr.store.folder import download_folder
from tests.ocr.dataset.pages.sheets import add_row, draw_page, entry, write_page, write_pages
from tests.ocr.dataset.rules import COPIES, LINE_LIMITS, NEAR_BITS, PAGE_LIMITS, SPLIT
from tests.ocr.image.pictures import write_labels

PAGES = {
    "train": {f"train/{n}.png": [f"TRAIN {n}", "TOTAL  1.00"] for n in range(4)},
    "val": {"val/0.png": ["VAL 0", "TOTAL 1.00"]},
    "test": {"test/0.png": ["TEST 0", "TOTAL 1.00"]},
}
LIMITS = replace(PAGE_LIMITS, max_bad_share=0.5)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for split, pages in PAGES.items():
        write_pages(tmp_path / "data", f"{split}.txt", pages)
    return tmp_path / "data"


def pages_of(store: Store, root: Path) -> SnapshotRef:
    labels = PageLabelFiles("paddleocr", root, "train.txt", "val.txt", "test.txt")
    return prepare_pages(store, name="p", labels=labels, limits=LIMITS, split=SPLIT, copies=COPIES)


def cut(store: Store, root: Path, *, limits: PageLimits = LIMITS) -> SnapshotRef:
    return prepare_crops(store, pages_key=pages_of(store, root).key, name="p-lines", limits=limits)


def fetch(store: Store, made: SnapshotRef, folder: Path) -> LineSnapshot:
    return open_line_snapshot(download_folder(store, prefix=made.key, folder=folder / made.digest))


def test_every_line_keeps_the_split_and_name_of_its_page(
    store: Store, root: Path, tmp_path: Path
) -> None:
    snapshot = fetch(store, cut(store, root), tmp_path)

    lines = list(snapshot.samples())
    assert sorted((line.split, line.image, line.text) for line in lines) == sorted(
        (split, image, " ".join(text.split()))
        for split, pages in PAGES.items()
        for image, texts in pages.items()
        for text in texts
    )
    assert len({line.group for line in lines}) == 6
    assert len({(line.group, line.image) for line in lines}) == 6


def test_crops_are_the_grown_boxes_of_the_page_as_jpeg(
    store: Store, root: Path, tmp_path: Path
) -> None:
    snapshot = fetch(store, cut(store, root), tmp_path)

    (line,) = [line for line in snapshot.samples("test") if line.text == "TEST 0"]
    page = cv2.imread(str(root / "test/0.png"))
    assert page is not None
    # The box is 172x32, its margin 0.08 x 32 = 2.56 px, rounded to whole pixels.
    assert (line.width, line.height) == (178, 38)
    expected = encode_jpeg(np.ascontiguousarray(page[9:47, 5:183], np.uint8))
    assert snapshot.image_bytes(line) == expected


def test_charset_holds_the_space_last(store: Store, root: Path, tmp_path: Path) -> None:
    characters = fetch(store, cut(store, root), tmp_path).charset.characters

    assert characters[-1] == " "
    assert list(characters[:-1]) == sorted(characters[:-1])


def test_ignored_and_textless_regions_are_not_cut_out(store: Store, root: Path) -> None:
    write_page(root, "new.png", ["A", "B", "C", "D"])
    entries = [entry("###", 0), entry("", 1), entry("C", 2, difficult=True), entry("D", 3)]
    add_row(root, "train.txt", "new.png", entries)

    assert cut(store, root).counts["train"] == 9


def test_unusable_texts_and_slivers_are_quarantined(store: Store, root: Path) -> None:
    write_page(root, "new.png", ["A", "B", "C", "D"])
    sliver = {"transcription": "S", "points": [[8, 90], [90, 90], [90, 92], [8, 92]]}
    entries = [entry("A" * 21, 0), entry("B", 1), sliver, entry("D", 3)]
    add_row(root, "train.txt", "new.png", entries)

    made = cut(store, root, limits=replace(LIMITS, max_text_length=20))

    assert {each.reason: each.examples[0].where for each in made.quarantine} == {
        "text_too_long": "new.png region 1",
        "too_small": "new.png region 3",
    }
    assert (made.counts["train"], made.counts["quarantined"]) == (10, 2)


def test_lines_that_look_alike_stay_in_both_splits(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "alike"
    for shade, split in enumerate(("train", "val", "test")):
        texts = ["SAME TEXT", *(f"{split} {n * n + shade}" for n in range(4))]
        write_pages(root, f"{split}.txt", {f"{split}.png": texts})
        page = draw_page(texts, seed=1) - np.uint8(shade)
        (root / f"{split}.png").write_bytes(encode_png(page))

    made = cut(store, root)

    assert (made.counts["accepted"], made.quarantine) == (15, ())


def test_second_run_cuts_nothing(store: Store, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = cut(store, root)
    monkeypatch.setattr("ocr.dataset.pages.crops.crop_line", None)

    again = cut(store, root)

    assert again.cached
    assert replace(again, cached=False) == made


def test_other_pages_give_other_crops(store: Store, root: Path) -> None:
    made = cut(store, root)
    add_row(root, "train.txt", "new.png", write_page(root, "new.png", ["NEW"]))

    assert cut(store, root).digest != made.digest


def test_several_processes_give_the_same_bytes(
    store: Store, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cut(store, root)
    monkeypatch.setattr("ocr.dataset.pages.crops.open_pool", lambda *_, **__: ProcessPool(2))
    monkeypatch.setattr("ocr.dataset.pages.crops._BATCH", 2)

    again = cut(open_store(str(tmp_path / "other")), root)

    assert again.digest == made.digest


def test_lines_turned_and_curved_are_cut_out_level() -> None:
    page = np.full((200, 200, 3), 255, np.uint8)
    vertical = Region(((50, 20), (50, 120), (30, 120), (30, 20)), "A")
    curved = Region(((10, 150), (60, 140), (110, 150), (110, 170), (60, 160), (10, 170)), "B")

    crops = [cut_region(page, region) for region in (vertical, curved)]

    assert [crop.shape[:2] for crop in crops] == [(24, 104), (34, 104)]


def test_lines_cannot_be_cut_out_of_lines(store: Store, tmp_path: Path) -> None:
    write_labels(tmp_path / "rec", "rec.txt", {f"{n}.png": f"T{n}" for n in range(20)})
    labels = LineLabelFiles("paddleocr", tmp_path / "rec", "rec.txt")
    made = prepare_lines(
        store,
        name="r",
        labels=labels,
        limits=LINE_LIMITS,
        split=SPLIT,
        near_duplicate_bits=NEAR_BITS,
    )

    with pytest.raises(BadData, match="recognition, expected detection"):
        prepare_crops(store, pages_key=made.key, name="x", limits=LIMITS)
    with pytest.raises(BadData, match="recognition, expected detection"):
        open_page_snapshot(tmp_path / "store" / made.key)


def test_pages_are_no_lines(store: Store, root: Path, tmp_path: Path) -> None:
    made = pages_of(store, root)

    with pytest.raises(BadData, match="detection, expected recognition"):
        open_line_snapshot(tmp_path / "store" / made.key)


def test_pages_that_are_not_there_are_named(store: Store) -> None:
    with pytest.raises(ArtifactNotFound, match="datasets/p/none"):
        prepare_crops(store, pages_key="datasets/p/none", name="x", limits=LIMITS)
