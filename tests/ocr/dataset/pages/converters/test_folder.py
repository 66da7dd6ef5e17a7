import json
from dataclasses import replace
from pathlib import Path

import cv2
import pytest

from ocr.dataset.pages.converters import (
    GROUP_PATTERN,
    LABEL_WRITERS,
    ExportKind,
    export_pages,
    has_groups,
)
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.preparation import prepare_pages
from ocr.dataset.pages.region import Region
from ocr.dataset.pages.snapshot import PageSnapshot, open_page_snapshot
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import SPLITS
from ocr.errors import ArtifactExists
from ocr.image.pixels import Image
from ocr.store import Store
from ocr.store.folder import download_folder
from tests.ocr.dataset.pages.sheets import add_row, draw_page, entry, write_page, write_pages
from tests.ocr.dataset.rules import COPIES, PAGE_LIMITS, SPLIT
from tests.ocr.image.documents import tiff

CURVED = [[8, 60], [90, 52], [180, 60.25], [180, 84], [90, 76], [8, 84]]


@pytest.fixture
def snapshot(store: Store, tmp_path: Path) -> PageSnapshot:
    root = tmp_path / "data"
    for split in ("train", "val", "test"):
        write_pages(root, f"{split}.txt", {f"{split}.png": [f"{split} 合计", "1 * 2"]})
    write_page(root, "new.png", ["A", "B", "C", "D"])
    curved = {"transcription": "CURVED", "points": CURVED}
    upside_down = {"transcription": "D", "points": [[180, 150], [20, 150], [20, 130], [180, 130]]}
    entries = [entry("A", 0, difficult=True), curved, entry("", 2), upside_down]
    add_row(root, "train.txt", "new.png", entries)
    return prepare(store, PageLabelFiles("paddleocr", root, "train.txt", "val.txt", "test.txt"))


def prepare(store: Store, labels: PageLabelFiles) -> PageSnapshot:
    assert isinstance(labels.root, Path)
    limits = replace(PAGE_LIMITS, max_bad_share=0.5)
    made = prepare_pages(store, name="d", labels=labels, limits=limits, split=SPLIT, copies=COPIES)
    folder = labels.root.parent / f"copy-of-{labels.root.name}"
    return open_page_snapshot(download_folder(store, prefix=made.key, folder=folder))


def read_back(
    store: Store, folder: Path, kind: ExportKind, *, group_pattern: str = ""
) -> PageSnapshot:
    pattern, _ = LABEL_WRITERS[kind]
    train, val, test = (pattern.format(split=split) for split in ("train", "val", "test"))
    labels = PageLabelFiles(kind, folder, train, val, test, group_pattern=group_pattern)
    return prepare(store, labels)


def groups(snapshot: PageSnapshot) -> dict[str, str]:
    return {page.id: page.group for page in snapshot.samples()}


def contents(snapshot: PageSnapshot) -> dict[str, tuple[str, tuple[Region, ...]]]:
    return {page.id: (page.split, page.regions) for page in snapshot.samples()}


def encode(page: Image, suffix: str) -> bytes:
    return cv2.imencode(suffix, page)[1].tobytes()


def pictures(snapshot: PageSnapshot) -> set[tuple[bytes, str, tuple[Region, ...]]]:
    """Pages by their pixels."""
    pages = snapshot.samples()
    return {(snapshot.image(page).tobytes(), page.split, page.regions) for page in pages}


def test_labelstudio_tasks_come_back_as_they_went_out(
    store: Store, snapshot: PageSnapshot, tmp_path: Path
) -> None:
    export_pages(snapshot, tmp_path / "out", kind="labelstudio")

    assert contents(read_back(store, tmp_path / "out", "labelstudio")) == contents(snapshot)


def test_tasks_of_all_splits_in_one_export_keep_names_splits_and_groups(
    store: Store, tmp_path: Path
) -> None:
    root, images = tmp_path / "data", {split: f"{split}-7/1.png" for split in SPLITS}
    for split, image in images.items():
        write_pages(root, split, {image: [split]})
    train, val, test = SPLITS
    labels = PageLabelFiles("paddleocr", root, train, val, test, group_pattern="(.*)/")
    files = export_pages(prepare(store, labels), tmp_path / "out", kind="labelstudio")

    tasks = [task for file in files for task in json.loads(file.read_text())]
    (tmp_path / "out/export.json").write_text(json.dumps(tasks))
    exported = PageLabelFiles(
        "labelstudio", tmp_path / "out", "export.json", group_field="document"
    )

    facts = {task["data"]["split"]: task["data"]["labelled"] for task in tasks}
    assert facts == images
    groups = [row.group for row in exported.read() if not isinstance(row, Rejection)]
    assert groups == ["train-7", "val-7", "test-7"]


@pytest.mark.parametrize(
    ("kind", "suffixes"),
    [("labelstudio", {".png", ".webp"}), ("paddleocr", {".png", ".tif", ".ppm", ".webp"})],
)
def test_images_that_no_browser_shows_are_png_in_label_studio_and_come_back_as_the_same_pages(
    kind: ExportKind, suffixes: set[str], store: Store, tmp_path: Path
) -> None:
    root = tmp_path / "data"
    for number, split in enumerate(SPLITS):
        write_pages(root, f"{split}.txt", {f"{split}/a.png": [split]})
        for at, suffix in enumerate((".tif", ".ppm", ".webp")):
            page = draw_page([suffix, split], seed=3 * number + at)
            data = tiff([page, page[::2]]) if suffix == ".tif" else encode(page, suffix)
            (root / split / f"a{suffix}").write_bytes(data)
            add_row(root, f"{split}.txt", f"{split}/a{suffix}", [entry(suffix, 0), entry(split, 1)])
    train, val, test = (f"{split}.txt" for split in SPLITS)
    before = prepare(store, PageLabelFiles("paddleocr", root, train, val, test))

    export_pages(before, tmp_path / "out", kind=kind)
    after = read_back(store, tmp_path / "out", kind)

    assert {path.suffix for path in (tmp_path / "out/images").iterdir()} == suffixes
    assert len(pictures(before)) == 12
    assert pictures(after) == pictures(before)
    kept = {page.id for page in before.samples() if page.image.endswith((".png", ".webp"))}
    assert kept <= {page.id for page in after.samples()}


def test_paddleocr_labels_come_back_but_for_the_texts_of_ignored_regions(
    store: Store, snapshot: PageSnapshot, tmp_path: Path
) -> None:
    export_pages(snapshot, tmp_path / "out", kind="paddleocr")

    expected = {
        key: (
            split,
            tuple(Region(r.polygon, "" if r.ignored else r.text, r.ignored) for r in regions),
        )
        for key, (split, regions) in contents(snapshot).items()
    }
    assert contents(read_back(store, tmp_path / "out", "paddleocr")) == expected


@pytest.mark.parametrize("kind", ["paddleocr", "labelstudio"])
def test_pages_of_a_group_are_of_one_again_by_the_names_of_their_images(
    kind: ExportKind, store: Store, tmp_path: Path
) -> None:
    root = tmp_path / "data"
    for split in SPLITS:
        names = (f"发票 {split}/1.png", f"发票 {split}/2.png", f"b-{split}/3.png", f"{split}.png")
        write_pages(root, split, {name: [name[-9:]] for name in names})
    train, val, test = SPLITS
    labels = PageLabelFiles("paddleocr", root, train, val, test, group_pattern="(.*)/")
    before = prepare(store, labels)

    export_pages(before, tmp_path / "out", kind=kind)
    after = read_back(store, tmp_path / "out", kind, group_pattern=GROUP_PATTERN)

    assert has_groups(before)
    assert contents(after) == contents(before)
    pairs = {(group, groups(after)[page]) for page, group in groups(before).items()}
    assert len(pairs) == len(set(groups(before).values())) == 7
    assert len({group for _, group in pairs}) == 7
    assert ("", "") in pairs


def test_names_of_pages_without_a_group_tell_of_none(
    snapshot: PageSnapshot, tmp_path: Path
) -> None:
    export_pages(snapshot, tmp_path / "out", kind="paddleocr")

    stems = {path.stem for path in (tmp_path / "out/images").iterdir()}
    assert stems == {page.id[:16] for page in snapshot.samples()}
    assert not has_groups(snapshot)


def test_ignored_regions_are_dont_care_to_paddleocr_and_to_ppocrlabel(
    snapshot: PageSnapshot, tmp_path: Path
) -> None:
    train, *_ = export_pages(snapshot, tmp_path / "out", kind="paddleocr")

    entries = [e for row in train.read_text().splitlines() for e in json.loads(row.split("\t")[1])]
    assert [e["transcription"] for e in entries if e["difficult"]] == ["###"]
    assert [e["points"] for e in entries if e["transcription"] == "CURVED"] == [CURVED]


def test_a_folder_that_is_there_is_not_written_into(snapshot: PageSnapshot, tmp_path: Path) -> None:
    export_pages(snapshot, tmp_path / "out", kind="paddleocr")

    with pytest.raises(ArtifactExists, match="out is there already"):
        export_pages(snapshot, tmp_path / "out", kind="paddleocr")
