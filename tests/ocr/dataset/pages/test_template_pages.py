import json
import tracemalloc
from pathlib import Path

import numpy as np

from ocr.dataset.labels.split_files import LabelShare
from ocr.dataset.pages.copies import FORM_PAGES, CopyRule, cluster_copies, count_words
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.preparation import prepare_pages
from ocr.dataset.split import SplitRule
from ocr.store import Store
from tests.ocr.dataset.pages.forms import write_forms, write_rescan
from tests.ocr.dataset.pages.preparing import fetch
from tests.ocr.dataset.rules import COPIES, PAGE_LIMITS

SPLIT = SplitRule(val_share=0.3, test_share=0.3, seed=0)


def split_of_pages(store: Store, root: Path, folder: Path) -> dict[str, str]:
    labels = PageLabelFiles("paddleocr", root, "forms.txt")
    made = prepare_pages(
        store, name="p", labels=labels, limits=PAGE_LIMITS, split=SPLIT, copies=COPIES
    )
    assert made.quarantine == ()
    return {page.image: page.split for page in fetch(store, made, folder).samples()}


def test_forms_of_one_template_go_to_all_splits(store: Store, tmp_path: Path) -> None:
    write_forms(tmp_path / "data", count=12)

    splits = split_of_pages(store, tmp_path / "data", tmp_path)

    assert len(splits) == 12
    assert min(list(splits.values()).count(split) for split in ("train", "val", "test")) >= 2


def test_two_scans_of_one_form_share_a_split_though_labelled_a_little_differently(
    store: Store, tmp_path: Path
) -> None:
    root = tmp_path / "data"
    write_forms(root, count=8)
    for number in range(8):
        write_rescan(root, number, misread=3)

    splits = split_of_pages(store, root, tmp_path)

    assert len(set(splits.values())) == 3
    assert all(splits[f"rescan{n}.jpg"] == splits[f"{n}.png"] for n in range(8))


def test_two_thousand_pages_that_look_alike_take_megabytes() -> None:
    hashes = np.full((2000, 1, 256), 0x55, np.uint8)
    words = count_words([["the same", f"{n}"] for n in range(2000)])

    tracemalloc.start()
    clusters = cluster_copies(hashes, words, rule=CopyRule(bit_share=0.2, word_share=0.5))
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert len(set(clusters)) == 1
    assert peak_bytes < 64 << 20, f"{peak_bytes / 2**20:.0f} MiB"


def test_other_forms_that_a_model_read_are_learnt_and_those_that_are_labelled_are_not(
    store: Store, tmp_path: Path
) -> None:
    root = tmp_path / "data"
    write_forms(root, count=FORM_PAGES + 11)
    for number in range(4):
        write_rescan(root, number, misread=3)
    rows = list(map(_mostly_printed, (root / "forms.txt").read_text().splitlines()))
    people = rows[: FORM_PAGES + 5]
    (root / "forms.txt").write_text("".join(people))
    (root / "read.txt").write_text("".join(rows[len(people) :]))
    labels = PageLabelFiles(
        "paddleocr", root, "forms.txt", more=(LabelShare("read.txt", checked=False),)
    )

    made = prepare_pages(
        store, name="p", labels=labels, limits=PAGE_LIMITS, split=SPLIT, copies=COPIES
    )

    images = {page.image for page in fetch(store, made, tmp_path).samples()}
    others = {f"{number}.png" for number in range(len(people), FORM_PAGES + 11)}
    assert len(others) == 6
    assert others <= images
    assert not any(image.startswith("rescan") for image in images)


def _mostly_printed(row: str) -> str:
    """Keep two of the ten values of a form: 40 of its 50 words are on each other form, too."""
    image, written = row.split("\t")
    entries = json.loads(written)
    values = [each for each in entries if each["transcription"].isdecimal()]
    return f"{image}\t{json.dumps([each for each in entries if each not in values[2:]])}\n"
