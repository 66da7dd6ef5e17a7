"""Bundles: the manifest vouches for every file, and nothing else gets in."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocr.errors import ArtifactNotFound, BadData, OcrError
from ocr.models.bundle import (
    CHARSET,
    MANIFEST,
    ONNX_MODEL,
    read_detector_bundle,
    read_recogniser_bundle,
    read_recogniser_manifest,
    read_task,
)
from ocr.models.detector_spec import BoxRule, PageSpec
from ocr.models.golden import decode_golden, prove_lines
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.recogniser import OnnxRecogniser
from tests.toy_bundle import draw, write_toy_bundle, write_toy_detection_bundle


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_toy_bundle(tmp_path / "bundle", name="plates", version="7", parent="6")


@pytest.fixture
def detector(tmp_path: Path) -> Path:
    return write_toy_detection_bundle(tmp_path / "detector", name="lines", version="3")


def edit_manifest(bundle: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = bundle / MANIFEST
    content = json.loads(path.read_bytes())
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def test_a_manifest_says_what_was_written(bundle: Path) -> None:
    manifest = read_recogniser_bundle(bundle)

    assert (manifest.name, manifest.version, manifest.parent) == ("plates", "7", "6")
    assert manifest.task == "recognition"
    assert manifest.input == LineSpec(layout="line", height_px=16, width_px=64)
    assert manifest.metrics == {"accuracy": 1.0}
    assert ONNX_MODEL in manifest.files
    assert MANIFEST not in manifest.files


def test_a_bundle_of_an_earlier_version_takes_what_it_took(bundle: Path) -> None:
    earlier = {"layout": "line", "height_px": 16, "width_px": 64}
    edit_manifest(bundle, lambda manifest: manifest.update(input=earlier))
    recogniser = OnnxRecogniser.load(bundle)

    (probabilities,) = recogniser.probabilities([draw("AB")[:, :-6]])

    assert len(probabilities) == 7  # of 26 columns, 4 each
    prove_lines(
        bundle,
        lambda images: [
            one.text for one in recogniser.recognise([decode_golden(image) for image in images])
        ],
    )


def test_a_folder_without_a_manifest_is_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(ArtifactNotFound, match=r"is no bundle: it has no manifest\.json"):
        read_recogniser_bundle(tmp_path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda b: (b / ONNX_MODEL).write_bytes(b"x"), "model.onnx is damaged: not sha256"),
        (lambda b: (b / ONNX_MODEL).unlink(), "no file onnx/model.onnx"),
        (lambda b: (b / "model.pkl").write_bytes(b"x"), "model.pkl, which its manifest does not"),
        (lambda b: (b / "golden/link.png").symlink_to(b / ONNX_MODEL), "link.png, which its"),
    ],
)
def test_a_changed_file_is_named(
    bundle: Path, damage: Callable[[Path], object], message: str
) -> None:
    damage(bundle)

    with pytest.raises(OcrError, match=message):
        read_recogniser_bundle(bundle)


@pytest.mark.parametrize("linked", [ONNX_MODEL, "charset.txt"])
def test_a_link_in_place_of_a_file_is_refused(bundle: Path, tmp_path: Path, linked: str) -> None:
    outside = tmp_path / "outside"
    (bundle / linked).rename(outside)
    (bundle / linked).symlink_to(outside)

    with pytest.raises(ArtifactNotFound, match=f"holds no file {linked}"):
        read_recogniser_bundle(bundle)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.pop("name"), "name: Field required"),
        (lambda m: m.update(shoe=1), "shoe: Extra inputs"),
        (lambda m: m.update(format=2), "format: Input should be 1"),
        (lambda m: m.update(created="yesterday"), "created: String should match"),
        (lambda m: m["metrics"].update(ned="high"), r"metrics\.ned: Input should be a valid num"),
        (lambda m: m["input"].update(layout="round"), r"input\.layout: Input should be 'fixed'"),
        (lambda m: m["input"].update(frame_px=5), "expected a multiple of frame_px, which is 5"),
        (lambda m: m["files"].pop(ONNX_MODEL), "does not list onnx/model.onnx"),
        (lambda m: m["files"].update({"../../x.json": "0"}), r"may not start with a dot"),
        (lambda m: m["files"].update({"/etc/x.json": "0"}), "has an empty part"),
        (lambda m: m["files"].update({"a.pkl": "0"}), r"a\.pkl has no place in a bundle"),
    ],
)
def test_a_malformed_manifest_is_named(
    bundle: Path, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    edit_manifest(bundle, change)

    with pytest.raises(OcrError, match=message):
        read_recogniser_bundle(bundle)


def test_a_manifest_that_is_no_json_is_named(bundle: Path) -> None:
    (bundle / MANIFEST).write_bytes(b"{")

    with pytest.raises(OcrError, match="content: Invalid JSON"):
        read_recogniser_manifest(bundle)


def test_a_detection_manifest_says_how_pages_and_boxes_are_made(detector: Path) -> None:
    manifest = read_detector_bundle(detector)

    assert (manifest.name, manifest.version, manifest.task) == ("lines", "3", "detection")
    assert manifest.input == PageSpec(long_side_px=320)
    assert manifest.boxes == BoxRule(0.5, 0.6, 0.1, 0.3)
    assert CHARSET not in manifest.files


def test_a_detection_bundle_may_hold_no_charset(detector: Path) -> None:
    (detector / CHARSET).write_text("A\n")
    edit_manifest(detector, lambda m: m["files"].update({CHARSET: "0"}))

    with pytest.raises(BadData, match=r"charset\.txt has no place in a bundle"):
        read_detector_bundle(detector)


def test_a_bundle_tells_its_task(bundle: Path, detector: Path) -> None:
    assert (read_task(bundle), read_task(detector)) == ("recognition", "detection")


@pytest.mark.parametrize("task", ["poetry", None])
def test_an_unknown_task_is_named(bundle: Path, task: str | None) -> None:
    edit_manifest(bundle, lambda m: m.update(task=task))

    with pytest.raises(BadData, match=f"task: {task!r}, expected one of"):
        read_task(bundle)


def test_a_bundle_of_another_task_is_refused(bundle: Path, detector: Path) -> None:
    with pytest.raises(BadData, match="is a bundle for detection, expected one for recognition"):
        read_recogniser_bundle(detector)
    with pytest.raises(BadData, match="is a bundle for recognition, expected one for detection"):
        read_detector_bundle(bundle)
