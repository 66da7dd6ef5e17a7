"""What a version came from, as far as the store knows, and no further."""

from pathlib import Path

import pytest

from ocr.errors import BadData
from ocr.lineage.ancestry import Ancestry, Training, read_ancestry
from ocr.lineage.data import Data
from ocr.models.bundle import INT8_MODEL, read_recogniser_manifest, write_manifest
from tests.ocr.lineage.scenes import CHECKPOINT, NAME, RESULT, Told
from tests.serving.tiny_bundle import DIGITS, LETTERS
from tests.serving.tiny_pipeline import register_pipeline
from tests.toy_bundle import write_toy_bundle

TEXTS = {"ABC": "ABC", "CAB": "CAB", "BAC": "BAC", "ACB": "ACB", "BCA": "BCA", "CBA": "CBA"}


def ancestry(told: Told, reference: str) -> Ancestry:
    registry = told.registry
    return read_ancestry(registry, registry.resolve(reference), told.copy_tables)


def test_a_version_is_followed_to_its_training_its_labels_and_its_promotion(told: Told) -> None:
    snapshot = told.prepare(TEXTS, bad_rows=2)
    told.keep_checkpoint()
    told.add("v0")
    facts = {"dataset_digest": snapshot.digest, "checkpoint": CHECKPOINT, "code_commit": "abc"}
    told.add("v1", parent="v0", **facts)
    key = told.judge("v1", "promote", 10, beside=("v0", 3))
    told.registry.promote(NAME, "v0", reason="the first")
    told.registry.promote(NAME, "v1", reason="reads better", evaluation=key)

    found = ancestry(told, NAME)

    assert (found.reference, found.task, found.code_commit) == ("toy:v1", "recognition", "abc")
    assert found.is_champion
    assert found.parent == "toy:v0"
    assert found.forms == ("paddle", "serving", "onnx")
    assert found.size_mb > 0
    assert found.training == Training(
        CHECKPOINT,
        True,
        metrics={"accuracy": 0.97},
        environment=RESULT["environment"],  # type: ignore[arg-type]  # it is of strings
        seconds=41.5,
        memory_mib=512.4,
    )
    assert found.data.key == snapshot.key
    assert found.data.sources == {"labels.txt": 6}
    assert found.data.quarantined == {"missing_image": 2}
    assert found.data.counts["rows"] == 8
    assert [(move.version, move.previous) for move in found.moves] == [("v1", "v0")]
    assert [decision.verdict for decision in found.decisions] == ["promote"]
    assert found.is_kept == {key: True, "reports/v1/0.html": False}


def test_of_a_version_in_8_bits_the_size_is_that_of_what_serves(told: Told, tmp_path: Path) -> None:
    bundle = write_toy_bundle(tmp_path / "bundle", name=NAME, version="v1")
    (bundle / INT8_MODEL).write_bytes(b"0" * 4000)
    write_manifest(bundle, read_recogniser_manifest(bundle))
    told.registry.register(NAME, "v1", bundle)

    found = ancestry(told, "toy:v1")

    assert found.forms == ("paddle", "serving", "onnx", "int8")
    assert found.size_mb == 0.004


def test_what_was_pruned_is_unknown_and_nothing_is_made_up(told: Told) -> None:
    told.add("v1", dataset_digest="e" * 64, checkpoint="checkpoints/gone/0")

    found = ancestry(told, "toy:v1")

    assert found.training == Training("checkpoints/gone/0", False, {}, {}, None, None)
    assert found.data == Data("e" * 64)
    assert (found.moves, found.decisions, found.is_champion) == ((), (), False)


def test_a_version_that_names_no_checkpoint_has_none(told: Told) -> None:
    told.add("v1")

    training = ancestry(told, "toy:v1").training

    assert training is not None
    assert (training.checkpoint, training.is_there) == ("", False)


def test_a_pipeline_has_the_ancestry_of_every_part(told: Told, tmp_path: Path) -> None:
    register_pipeline(told.registry, tmp_path, version="p1", characters=DIGITS, second=LETTERS)

    found = ancestry(told, "pages:p1")

    assert {part: each.reference for part, each in found.parts.items()} == {
        "detector": "pages-detector:p1",
        "recogniser": "pages-recogniser:p1",
        "second_recogniser": "pages-second:p1",
    }
    assert found.training is None
    assert found.size_mb == sum(part.size_mb for part in found.parts.values()) > 0


def test_a_manifest_that_somebody_changed_tells_nothing(told: Told) -> None:
    told.add("v1", code_commit="abc")
    (path,) = (told.folder / "store" / "models" / NAME / "v1").glob("*/manifest.json")
    path.write_text(path.read_text(encoding="utf-8").replace('"abc"', '"xyz"'), encoding="utf-8")

    with pytest.raises(BadData, match=r"manifest\.json was changed since it was stored"):
        told.registry.resolve(f"{NAME}:v1")
    with pytest.raises(BadData, match=r"manifest\.json was changed since it was stored"):
        told.registry.download(told.registry.version(NAME, "v1"), told.folder / "bundle")
    assert told.registry.versions(NAME) == ["v1"]  # it hinders no other version
