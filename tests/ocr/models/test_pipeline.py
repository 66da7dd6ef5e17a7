"""The pipeline's folder: what it says of itself, what it read, and nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest

from ocr.errors import ArtifactNotFound, BadData
from ocr.models.bundle import read_recogniser_bundle, read_task
from ocr.models.pipeline import (
    join_metrics,
    read_pipeline,
    read_pipeline_manifest,
)
from ocr.models.registry import ModelVersion, Registry
from ocr.store import open_store
from tests.toy_pipeline import write_toy_pipeline


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    return write_toy_pipeline(tmp_path / "pipeline")


def test_a_pipeline_names_its_parts_and_its_task(pipeline: Path) -> None:
    manifest = read_pipeline(pipeline)

    assert (manifest.detector, manifest.recogniser) == ("toy-detector:d1", "toy-recogniser:r1")
    assert read_task(pipeline) == "pipeline"
    assert read_pipeline_manifest(pipeline) == manifest


def test_metrics_of_both_parts_stand_beside_each_other() -> None:
    detector = ModelVersion("d", "1", "k", {"task": "detection", "metrics": {"hmean": 1}})
    recogniser = ModelVersion("r", "1", "k", {"task": "recognition", "metrics": {"ned": 0.5}})

    assert join_metrics(detector, recogniser) == {"detection_hmean": 1, "recognition_ned": 0.5}


def test_the_card_names_the_parts_and_their_metrics(pipeline: Path) -> None:
    card = (pipeline / "card.md").read_text(encoding="utf-8")

    assert card.startswith("# toy p1\n")
    assert "`toy-detector:d1` finds the lines, `toy-recogniser:r1` reads them" in card
    assert "- accuracy: 0.8000\n- hmean: 0.9000\n" in card
    assert "Other tools load the parts, as their cards say, and read what the nets alone do" in card


def test_a_cascade_names_its_second_recogniser(tmp_path: Path) -> None:
    folder = write_toy_pipeline(tmp_path / "it", second_recogniser="exact:r9", reread_below=0.45)
    registry = Registry(open_store(str(tmp_path / "store")))

    registered = registry.register("toy", "p1", folder)

    assert read_pipeline(folder).reread_below == 0.45
    assert registered.parts == {
        "detector": "toy-detector:d1",
        "recogniser": "toy-recogniser:r1",
        "second_recogniser": "exact:r9",
    }
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert "below\n0.450 are read again by `exact:r9`" in card


def test_a_pipeline_without_a_cascade_says_nothing_that_earlier_gateways_refuse(
    pipeline: Path,
) -> None:
    content = json.loads((pipeline / "manifest.json").read_text())

    assert not {"second_recogniser", "reread_below"} & content.keys()


@pytest.mark.parametrize("half", [{"second_recogniser": "exact:r9"}, {"reread_below": 0.5}])
def test_half_a_cascade_is_refused(tmp_path: Path, half: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="belong together"):
        write_toy_pipeline(tmp_path / "pipeline", **half)


def test_a_damaged_golden_page_is_named(pipeline: Path) -> None:
    (pipeline / "golden/inputs/001.png").write_bytes(b"other")

    with pytest.raises(BadData, match=r"001\.png is damaged"):
        read_pipeline(pipeline)


def test_a_stray_file_is_refused(pipeline: Path) -> None:
    (pipeline / "model.pkl").write_bytes(b"")

    with pytest.raises(BadData, match=r"holds model\.pkl"):
        read_pipeline(pipeline)


def test_a_pipeline_without_a_manifest_is_none(pipeline: Path) -> None:
    (pipeline / "manifest.json").unlink()

    with pytest.raises(ArtifactNotFound):
        read_pipeline(pipeline)


def test_a_pipeline_is_no_recogniser(pipeline: Path) -> None:
    with pytest.raises(BadData, match="for pipeline, expected one for recognition"):
        read_recogniser_bundle(pipeline)


@pytest.mark.parametrize("reference", ["toy-detector", "toy:", ":d1", "../x:d1", "a:b:c"])
def test_a_part_without_its_version_is_refused(tmp_path: Path, reference: str) -> None:
    with pytest.raises(ValueError, match="detector"):
        write_toy_pipeline(tmp_path / "pipeline", detector=reference)


def test_registry_moves_both_parts_as_one(tmp_path: Path, pipeline: Path) -> None:
    registry = Registry(open_store(str(tmp_path / "store")))
    other = write_toy_pipeline(
        tmp_path / "other", version="p2", detector="toy-detector:d2", recogniser="toy-recogniser:r2"
    )
    for version, folder in (("p1", pipeline), ("p2", other)):
        registry.register("toy", version, folder)
        registry.promote("toy", version, reason="better")

    before = registry.resolve("toy")
    registry.rollback("toy", reason="worse")
    after = registry.resolve("toy")

    assert (before.task, after.task) == ("pipeline", "pipeline")
    assert (before.manifest["detector"], before.manifest["recogniser"]) == (
        "toy-detector:d2",
        "toy-recogniser:r2",
    )
    assert (after.manifest["detector"], after.manifest["recogniser"]) == (
        "toy-detector:d1",
        "toy-recogniser:r1",
    )


def test_manifest_names_every_file(pipeline: Path) -> None:
    content = json.loads((pipeline / "manifest.json").read_text())

    assert set(content["files"]) == {
        "card.md",
        "golden/inputs/000.png",
        "golden/inputs/001.png",
        "golden/outputs.json",
    }
