import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import pytest

from ocr.dataset.inputs import RenderedSet
from ocr.dataset.pages.crops import prepare_crops
from ocr.dataset.pages.inspection import RenderedPage
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.preparation import prepare_pages
from ocr.dataset.pages.region import Region
from ocr.errors import BadInput
from ocr.image.pixels import Image
from ocr.store import Store, open_store
from tests.ocr.dataset.pages.preparing import LIMITS, TRAIN, fetch, files, prepare
from tests.ocr.dataset.pages.sheets import draw_page, write_pages
from tests.ocr.dataset.rules import COPIES, PAGE_LIMITS, SPLIT
from tests.shared_data import RECEIPTS, needs_receipts


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


def test_second_run_opens_no_image(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = prepare(store, root)
    monkeypatch.setattr("ocr.image.folder.ImageFolder.read", None)

    again = prepare(store, root)

    assert again.cached
    assert replace(again, cached=False) == made


def test_more_bad_pages_may_be_allowed_without_reading_them_again(store: Store, root: Path) -> None:
    allowed = replace(LIMITS, max_bad_share=0.9)
    pages = prepare(store, root)
    prepare_crops(store, pages_key=pages.key, name="lines", limits=LIMITS)

    again = prepare(store, root, limits=allowed)
    crops = prepare_crops(store, pages_key=again.key, name="lines", limits=allowed)

    assert (again.cached, crops.cached) == (True, True)


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
        copies=COPIES,
    )

    samples = list(fetch(store, made, tmp_path).samples())
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
        store,
        name="d",
        labels=None,
        limits=LIMITS,
        split=SPLIT,
        copies=COPIES,
        rendered=rendered(20),
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
        copies=COPIES,
        rendered=rendered(5),
    )

    pages = list(fetch(store, made, tmp_path).samples())
    assert {page.split for page in pages if page.source == "synthesis:invoice"} == {"train"}
    assert made.counts["train"] == 17


def test_nothing_to_prepare_is_wrong_usage(store: Store) -> None:
    with pytest.raises(BadInput, match="nothing to prepare"):
        prepare_pages(store, name="d", labels=None, limits=LIMITS, split=SPLIT, copies=COPIES)


@pytest.mark.slow
@needs_receipts
def test_real_receipts_lose_only_the_one_that_stands_in_two_splits(store: Store) -> None:
    made = prepare(store, RECEIPTS, limits=PAGE_LIMITS)

    assert (made.counts["train"], made.counts["val"], made.counts["test"]) == (239, 40, 60)
    (found,) = made.quarantine
    assert found.examples[0].image == "images/076.jpg"
    assert "images/625.jpg" in found.examples[0].detail
