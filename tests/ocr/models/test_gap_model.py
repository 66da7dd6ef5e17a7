"""The gap model: what it looks at, and the file that a pipeline keeps."""

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest

from ocr.errors import BadData
from ocr.models.gap_model import BUCKETS, Gap, GapModel, describe

WEIGHTS = np.zeros(BUCKETS, dtype=np.float32)


def weighing(gap: Gap, *, cut_above: float = 0.5) -> GapModel:
    """A model that is sure of gaps between such texts."""
    weights = WEIGHTS.copy()
    for bucket, value in describe(gap):
        weights[bucket] = 1.0 if value == 1.0 else 0.0
    return GapModel(weights, cut_above)


def test_a_model_knows_what_it_learnt() -> None:
    gap = Gap(2.0, "63.80", "SR")

    assert weighing(gap).probability(gap) > 0.99
    assert weighing(gap).probability(Gap(2.0, "NO MORE", "THAN")) == 0.5
    assert GapModel(WEIGHTS, 0.5).probability(gap) == 0.5


def test_where_a_text_begins_and_ends_counts() -> None:
    alone, inside = Gap(1.5, "D", "SALE"), Gap(1.5, "SOLD", "SALES")

    assert weighing(alone).probability(alone) > weighing(alone).probability(inside) > 0.5


def test_numbers_are_alike_whatever_their_digits() -> None:
    assert list(describe(Gap(1.0, "63.80", "12 x"))) == list(describe(Gap(1.0, "6.815", "٣ x")))
    assert list(describe(Gap(1.0, "63.80", "SR"))) != list(describe(Gap(1.0, "63.80", "SF")))


def test_only_what_stands_near_is_looked_at() -> None:
    far, near = Gap(1.0, "A" * 5000 + " TOTAL", "RM 5" + " A" * 5000), Gap(1.0, "TOTAL", "RM 5 A")

    assert list(describe(far)) == list(describe(near))


@pytest.mark.parametrize("heights", [0.0, 0.5, 1.0, 7.0, 1e9])
def test_every_feature_has_its_place_among_the_weights(heights: float) -> None:
    assert all(0 <= bucket < BUCKETS for bucket, _ in describe(Gap(heights, "", "謝謝")))


def test_a_file_is_read_as_written_and_always_the_same(tmp_path: Path) -> None:
    model = weighing(Gap(1.0, "TEL: 03", "FAX: 03"), cut_above=0.9)
    model.write(tmp_path / "one.npz")
    model.write(tmp_path / "other.npz")

    read = GapModel.read(tmp_path / "one.npz")

    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "other.npz").read_bytes()
    np.testing.assert_array_equal(read.weights, model.weights)
    assert read.cut_above == 0.9


@pytest.mark.parametrize(
    ("arrays", "fault"),
    [
        ({"weights": WEIGHTS[1:], "cut_above": 0.5}, "Expected 16384 weights"),
        ({"weights": WEIGHTS.astype(np.float64), "cut_above": 0.5}, "unpacks to"),
        ({"weights": WEIGHTS.astype(np.int32), "cut_above": 0.5}, "int32"),
        ({"weights": WEIGHTS + np.inf, "cut_above": 0.5}, "no finite number"),
        ({"weights": WEIGHTS, "cut_above": 1.5}, "expected a probability"),
        ({"weights": WEIGHTS, "cut_above": np.nan}, "expected a probability"),
        ({"weights": WEIGHTS, "cut_above": "0.5"}, "expected one float64"),
        ({"weights": WEIGHTS, "cut_above": [0.5]}, "expected one float64"),
        ({"weights": WEIGHTS}, "no usable gap model"),
        ({"weights": np.array([{}] * 3, dtype=object), "cut_above": 0.5}, "no usable gap model"),
    ],
)
def test_files_that_no_pipeline_has_are_refused(
    tmp_path: Path, arrays: dict[str, object], fault: str
) -> None:
    np.savez(tmp_path / "gaps.npz", **arrays)  # type: ignore[arg-type]

    with pytest.raises(BadData, match=fault):
        GapModel.read(tmp_path / "gaps.npz")


def test_a_file_that_unpacks_to_gigabytes_is_refused_unread(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "gaps.npz", "w", ZIP_DEFLATED) as archive:
        archive.writestr("weights.npy", bytes(1 << 20))

    with pytest.raises(BadData, match="unpacks to 1048576 bytes"):
        GapModel.read(tmp_path / "gaps.npz")


def test_a_file_of_something_else_than_arrays_is_refused(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "gaps.npz", "w") as archive:
        archive.writestr("weights", b"0" * 100)
        archive.writestr("cut_above", b"0.5")

    with pytest.raises(BadData, match="weights is no array"):
        GapModel.read(tmp_path / "gaps.npz")
