"""Golden images: few, from unseen splits, checked."""

from pathlib import Path

import pytest

from ocr.errors import ArtifactNotFound, BadData
from ocr.store import open_store
from tests.ocr.dataset.pages.invoices import SPLITS, STATIC, cut, write_invoices
from tests.training.export.line_store import line_store
from training.export.golden_images import read_golden_images


def test_golden_images_come_from_the_test_split(tmp_path: Path) -> None:
    store, job = line_store(tmp_path, layout="fixed")

    golden = read_golden_images(store, snapshot=job.snapshot, count=5)

    assert len(golden) == 5
    assert all(int(one.sample["text"].split()[1]) >= 200 for one in golden)


def test_a_split_with_fewer_images_gives_all_it_has(tmp_path: Path) -> None:
    store, job = line_store(tmp_path, layout="fixed")

    assert len(read_golden_images(store, snapshot=job.snapshot, count=99)) == 16


def test_an_image_that_several_lines_share_is_taken_once(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store"))
    write_invoices(tmp_path / "data")

    golden = read_golden_images(
        store, snapshot=cut(store, tmp_path / "data").key, count=SPLITS["test"] + len(STATIC)
    )

    texts = sorted(one.sample["text"] for one in golden)
    assert texts == [*(f"{number:05d}" for number in range(35, 40)), "Date", "Invoice No.", "Total"]


def test_a_damaged_shard_is_named(tmp_path: Path) -> None:
    store, job = line_store(tmp_path, layout="fixed")
    shard = tmp_path / "store" / job.snapshot / "shards/00000.tar"
    shard.write_bytes(bytes(shard.stat().st_size))

    with pytest.raises(BadData, match=r"Image [0-9a-f]{64} of snapshot .* is damaged"):
        read_golden_images(store, snapshot=job.snapshot, count=5)


def test_a_missing_snapshot_is_named(tmp_path: Path) -> None:
    store, _ = line_store(tmp_path, layout="fixed")

    with pytest.raises(ArtifactNotFound, match="datasets/none"):
        read_golden_images(store, snapshot="datasets/none", count=5)
