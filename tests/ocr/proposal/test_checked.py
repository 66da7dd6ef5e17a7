"""A person checks some of the pages: a dataset learns from these, as corrected, and no others."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.preparation import prepare_pages
from ocr.dataset.pages.snapshot import open_page_snapshot
from ocr.dataset.preparation import SnapshotRef
from ocr.errors import OcrError
from ocr.image.pixels import encode_png
from ocr.proposal.folder import ProposalKind, propose_labels
from ocr.store import Store, open_store
from ocr.store.folder import download_folder
from tests.ocr.dataset.rules import COPIES, PAGE_LIMITS, SPLIT
from tests.ocr.proposal.readers import ToldReader

CHECKED = 4
LIMITS = replace(PAGE_LIMITS, max_bad_share=0.0)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store"))


@pytest.fixture(params=["ppocrlabel", "labelstudio"])
def kind(request: pytest.FixtureRequest) -> ProposalKind:
    chosen: ProposalKind = request.param
    return chosen


@pytest.fixture
def folder(kind: ProposalKind, tmp_path: Path) -> Path:
    """Ten pages, of which the first reads worst; its MISREED is a MISREAD."""
    reader, scans = ToldReader(), tmp_path / "scans"
    scans.mkdir()
    for number in range(10):
        text = f"PAGE {number}" if number else "MISREED"
        image = reader.draw([(text, 0.4 + number / 20), ("TOTAL", 0.99)], seed=number)
        (scans / f"{number}.png").write_bytes(encode_png(image))
    files = sorted(scans.iterdir())
    out = tmp_path / "out"
    propose_labels(files, out, kind=kind, reader=reader, budget=10, max_pixels=10**6)
    return out


def check_in_ppocrlabel(folder: Path, *, pages: int) -> PageLabelFiles:
    """What PPOCRLabel leaves behind: labels and states of the confirmed pages alone."""
    rows = (folder / "Cache.cach").read_text().splitlines(keepends=True)[:pages]
    labels = "".join(rows).replace("MISREED", "MISREAD")
    (folder / "Label.txt").write_text(labels)
    states = "".join(f"{row.split(chr(9))[0]}\t1\n" for row in rows)
    (folder / "fileState.txt").write_text(states)
    return PageLabelFiles("ppocrlabel", folder, "Label.txt")


def check_in_labelstudio(folder: Path, *, pages: int) -> PageLabelFiles:
    """What Label Studio exports: annotations made of predictions, and predictions as they were."""
    tasks = json.loads((folder / "labelstudio.json").read_text())
    for number, task in enumerate(tasks[:pages], start=1):
        results: list[dict[str, Any]] = task["predictions"][0]["result"]
        text = json.dumps(results).replace("MISREED", "MISREAD")
        task["annotations"] = [{"id": number, "result": json.loads(text), "was_cancelled": False}]
    (folder / "export.json").write_text(json.dumps(tasks))
    return PageLabelFiles("labelstudio", folder, "export.json")


CHECKS = {"ppocrlabel": check_in_ppocrlabel, "labelstudio": check_in_labelstudio}


def prepare(store: Store, labels: PageLabelFiles) -> SnapshotRef:
    return prepare_pages(store, name="d", labels=labels, limits=LIMITS, split=SPLIT, copies=COPIES)


def first_texts(store: Store, made: SnapshotRef, folder: Path) -> Sequence[str]:
    snapshot = open_page_snapshot(download_folder(store, prefix=made.key, folder=folder))
    return sorted(page.regions[0].text for page in snapshot.samples())


def test_only_checked_pages_are_learnt_from_and_as_they_were_corrected(
    folder: Path, kind: ProposalKind, store: Store, tmp_path: Path
) -> None:
    labels = CHECKS[kind](folder, pages=CHECKED)

    made = prepare(store, labels)

    proposed = json.loads((folder / "pages.json").read_text())["pages"][:CHECKED]
    expected = sorted(page["least_text"].replace("MISREED", "MISREAD") for page in proposed)
    assert "MISREAD" in expected
    assert first_texts(store, made, tmp_path / "snapshot") == expected


def test_before_anybody_has_checked_a_page_there_is_nothing_to_learn_from(
    folder: Path, kind: ProposalKind, store: Store
) -> None:
    labels = CHECKS[kind](folder, pages=0)

    with pytest.raises(OcrError, match=r"no row|train split is empty"):
        prepare(store, labels)
