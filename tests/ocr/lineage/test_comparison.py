"""Two versions beside each other: paired where both read the same samples."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ocr.errors import BadData
from ocr.lineage.comparison import VersionComparison, compare_versions
from ocr.lineage.data import compare_data
from ocr.lineage.evaluations import find_reports
from ocr.models.gap_model import BUCKETS, GapModel
from tests.ocr.lineage.scenes import NAME, OTHERS, Told
from tests.serving.tiny_bundle import DIGITS
from tests.serving.tiny_pipeline import register_pipeline

BEFORE = {"ABC": "ABC", "CAB": "CAB", "BAC": "BAC", "ACB": "ACB", "BCA": "BCA", "CBA": "CBA"}
AFTER = {key: text for key, text in BEFORE.items() if key != "ABC"} | {"CAB": "CBB", "ABAB": "ABAB"}


def compare(told: Told, first: str = "toy:v1", second: str = "toy:v2") -> VersionComparison:
    registry = told.registry
    versions = registry.resolve(first), registry.resolve(second)
    return compare_versions(registry, *versions, told.copy_tables)


@pytest.fixture
def both(told: Told) -> Told:
    told.add("v1", code_commit="abc")
    told.add("v2", code_commit="def")
    return told


def test_versions_that_were_read_together_are_compared_as_they_were(both: Told) -> None:
    both.judge("v2", "promote", 10, beside=("v1", 3))

    found = compare(both)

    assert found.change is not None
    assert found.change.kind == "paired"
    assert found.change.opponent == pytest.approx(2 / 3)
    assert found.change.candidate == 0.9
    assert found.change.lower < found.change.change < found.change.upper
    assert found.first.metrics["accuracy"].value == pytest.approx(2 / 3)
    assert found.second.metrics["accuracy"].value == 0.9
    assert found.first.test_set == found.second.test_set
    assert (found.first.latency_ms, found.second.latency_ms) == (None, 3.5)


def test_the_other_way_round_the_change_has_the_other_sign(both: Told) -> None:
    both.judge("v2", "promote", 10, beside=("v1", 3))

    there, back = compare(both).change, compare(both, "toy:v2", "toy:v1").change

    assert there is not None
    assert back is not None
    assert back.change == pytest.approx(-there.change)
    assert (back.gained, back.lost) == (there.lost, there.gained)


def test_versions_that_read_the_same_samples_apart_are_paired(both: Told) -> None:
    both.judge("v1", "promote", 3)
    both.judge("v2", "promote", 10)

    change = compare(both).change

    assert change is not None
    assert (change.kind, change.n, change.gained, change.lost) == ("paired", 60, 18, 4)


def test_versions_that_read_other_samples_are_not_paired_and_it_is_said(both: Told) -> None:
    both.judge("v1", "promote", 3)
    both.judge("v2", "promote", 10, texts=OTHERS)

    found = compare(both)

    assert found.change is None
    assert found.why_not.startswith("they read other test samples: toy:v1 read 60 (")
    assert found.first.metrics["accuracy"].value == pytest.approx(2 / 3)
    assert found.second.samples == len(OTHERS)


def test_a_version_without_an_evaluation_is_named(both: Told) -> None:
    both.judge("v1", "promote", 3)

    assert compare(both).why_not == "no evaluation of toy:v2 is kept in the store"


def test_only_what_differs_of_the_parameters_is_told(both: Told) -> None:
    assert compare(both).parameters == {"code": ("abc", "def")}


def test_what_pipelines_chose_to_read_with_differs_too(told: Told, tmp_path: Path) -> None:
    gaps = GapModel(np.ones(BUCKETS, dtype=np.float32), 0.5)
    register_pipeline(told.registry, tmp_path, version="p1", characters=DIGITS, gaps=gaps)
    register_pipeline(told.registry, tmp_path, version="p2", characters=DIGITS, min_confidence=0.9)

    found = compare(told, "pages:p1", "pages:p2").parameters

    assert found == {"gap_model": ("gaps.npz", ""), "min_confidence": ("", "0.9")}


def test_data_is_compared_sample_by_sample(told: Told) -> None:
    first = told.prepare(BEFORE)
    second = told.prepare(AFTER)
    told.add("v1", dataset_digest=first.digest)
    told.add("v2", dataset_digest=second.digest)

    (change,) = compare(told).data.values()

    assert change is not None
    assert (change.added, change.removed, change.relabelled) == (1, 1, 1)
    assert change.kept == 4 - change.moved


def test_a_file_that_was_renamed_is_the_same_sample(told: Told, tmp_path: Path) -> None:
    tables = [
        {"id": ["a", "b", "c", "c"], "image": ["1.png", "2.png", "3.png", "4.png"]},
        {"id": ["a", "b", "c", "c"], "image": ["1.png", "old/2.png", "3.png", "5.png"]},
    ]
    folders = [tmp_path / "before", tmp_path / "after"]
    for folder, columns in zip(folders, tables, strict=True):
        folder.mkdir()
        more = {"split": ["train"] * 4, "text": ["A", "B", "C", "C"]}
        pq.write_table(pa.table(columns | more), folder / "samples.parquet")

    change = compare_data(*folders)

    assert (change.added, change.removed, change.relabelled, change.kept) == (1, 1, 0, 3)


def test_samples_that_another_seed_puts_elsewhere_are_moved(told: Told) -> None:
    digests = [told.prepare(BEFORE, seed=seed).digest for seed in (0, 1)]
    told.add("v1", dataset_digest=digests[0])
    told.add("v2", dataset_digest=digests[1])

    (change,) = compare(told).data.values()

    assert change is not None
    assert (change.added, change.removed, change.relabelled) == (0, 0, 0)
    assert change.moved > 0
    assert change.kept == len(BEFORE) - change.moved


def test_the_same_data_is_no_difference(told: Told) -> None:
    digest = told.prepare(BEFORE).digest
    told.add("v1", dataset_digest=digest)
    told.add("v2", dataset_digest=digest)

    assert compare(told).data == {}


def test_data_that_was_pruned_is_not_compared(told: Told) -> None:
    first = told.prepare(BEFORE)
    told.add("v1", dataset_digest=first.digest)
    told.add("v2", dataset_digest="e" * 64)

    assert compare(told).data == {"": None}


@pytest.mark.parametrize("content", [b'{"lines": [', b'{"lines": []}'])
def test_a_damaged_report_is_named(told: Told, content: bytes) -> None:
    told.add("v1")
    key = told.judge("v1", "promote", 4)
    store = told.registry.store
    store.remove(f"{key}/report.json")
    store.put_bytes(f"{key}/report.json", content)

    with pytest.raises(BadData, match=rf"{key}/report\.json is (no JSON|damaged)"):
        find_reports(told.registry, told.registry.version(NAME, "v1"))
