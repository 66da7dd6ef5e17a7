"""What a training that is to start from the champion starts from."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from configs.base import Params
from configs.paddleocr import PaddleOcrDetectorParams, PaddleOcrRecogniserParams
from configs.presets import load_params
from configs.training import RecogniserTrainingParams
from flows.retrain_lines import retrain_lines
from flows.retrain_pages import retrain_pages
from ocr.errors import BadInput
from ocr.models.registry import Registry
from ocr.store.folder import publish_folder, seal_folder
from ocr.store.whole import sha256_of
from tasks.engine import WEIGHTS, find_start

NET = "configs/rec/rec_mv3_none_none_ctc.yml"
TRAINING = PaddleOcrRecogniserParams(net=NET, pretrained="champion", epochs=3)


class Scene:
    """A store with versions of PaddleOCR's trainer."""

    def __init__(self, registry: Registry, folder: Path) -> None:
        self.registry = registry
        self.folder = folder

    def add(self, name: str, version: str, **manifest: Any) -> str:
        """Register a version; return the SHA-256 of its weights."""
        made = self.folder / f"{name}-{version}-checkpoint"
        made.mkdir()
        (made / WEIGHTS).write_text(f"weights of {name}:{version}")
        sha256 = sha256_of(made / WEIGHTS)
        seal_folder(made)
        key = publish_folder(self.registry.store, made, key=f"checkpoints/{name}-{version}")
        said = {"task": "recognition", "parameters": {"engine": "paddleocr", "net": NET}}
        bundle = self.folder / f"{name}-{version}"
        bundle.mkdir()
        content = said | {"checkpoint": key} | manifest | {"name": name, "version": version}
        (bundle / "manifest.json").write_text(json.dumps(content))
        self.registry.register(name, version, bundle)
        return sha256

    def promote(self, name: str, version: str) -> None:
        self.registry.promote(name, version, reason="by hand")


@pytest.fixture
def scene(empty: Registry, tmp_path: Path) -> Scene:
    return Scene(empty, tmp_path)


def test_the_champion_and_the_digest_of_its_weights_are_named(scene: Scene) -> None:
    sha256 = scene.add("plates", "v1")
    scene.add("plates", "v2")
    scene.promote("plates", "v1")

    training = find_start(TRAINING, "plates", "recogniser")

    expected = {"pretrained": "model:plates:v1", "pretrained_sha256": sha256}
    assert training == TRAINING.model_copy(update=expected)
    assert PaddleOcrRecogniserParams.model_validate(training.model_dump()) == training


def test_after_a_promotion_it_is_another_start(scene: Scene) -> None:
    scene.add("plates", "v1")
    scene.promote("plates", "v1")
    before = find_start(TRAINING, "plates", "recogniser")
    scene.add("plates", "v2")
    scene.promote("plates", "v2")

    after = find_start(TRAINING, "plates", "recogniser")

    assert before.pretrained_sha256 != after.pretrained_sha256
    assert find_start(before, "plates", "recogniser") == before


def test_each_net_of_pages_starts_from_its_part_of_the_pipeline(scene: Scene) -> None:
    detector = {"engine": "paddleocr", "net": "configs/det/det_mv3_db.yml"}
    detector_sha256 = scene.add("bills-detector", "d1", task="detection", parameters=detector)
    recogniser_sha256 = scene.add("bills-recogniser", "r1")
    parts = {"detector": "bills-detector:d1", "recogniser": "bills-recogniser:r1"}
    scene.add("bills", "p1", task="pipeline", **parts)
    scene.promote("bills", "p1")

    found = (
        find_start(PaddleOcrDetectorParams(pretrained="champion"), "bills", "detector"),
        find_start(TRAINING, "bills", "recogniser"),
    )

    assert [(one.pretrained, one.pretrained_sha256) for one in found] == [
        ("model:bills-detector:d1", detector_sha256),
        ("model:bills-recogniser:r1", recogniser_sha256),
    ]


def test_without_a_champion_it_starts_from_nothing_and_says_so(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    scene.add("plates", "v1")

    frozen = TRAINING.model_copy(update={"frozen": "backbone"})  # of noise nothing is kept
    training = find_start(frozen, "plates", "recogniser")

    assert training == TRAINING.model_copy(update={"pretrained": ""})
    said = capsys.readouterr().err
    assert "recogniser: plates has no champion yet; it starts from nothing" in said


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ({"parameters": {"engine": "paddleocr", "net": "pp-ocrv5"}}, "recognition by pp-ocrv5 of "),
        ({"parameters": {}}, "by compact of engine embedded, "),
        ({"task": "detection"}, "does detection by configs/rec/rec_mv3_none_none_ctc.yml of engin"),
    ],
)  # fmt: skip
def test_a_champion_that_it_cannot_start_from_is_named_with_the_way_out(
    scene: Scene, manifest: dict[str, Any], said: str
) -> None:
    scene.add("plates", "v1", **manifest)
    scene.promote("plates", "v1")

    with pytest.raises(BadInput, match=re.escape(said)) as refused:
        find_start(TRAINING, "plates", "recogniser")

    assert "the champion plates:v1" in str(refused.value)
    assert "leave pretrained empty until one of these is the champion" in str(refused.value)


@pytest.mark.parametrize("checkpoint", ["", "checkpoints/pruned"])
def test_a_champion_without_its_weights_is_named_with_the_way_out(
    scene: Scene, checkpoint: str
) -> None:
    scene.add("plates", "v1", checkpoint=checkpoint)
    scene.promote("plates", "v1")

    with pytest.raises(BadInput, match="the champion plates:v1 has no weights left to start from"):
        find_start(TRAINING, "plates", "recogniser")


@pytest.mark.parametrize(
    "training",
    [
        RecogniserTrainingParams(),
        PaddleOcrRecogniserParams(),
        PaddleOcrRecogniserParams(pretrained="/w", pretrained_sha256="0" * 64),
    ],
)
def test_what_does_not_ask_for_the_champion_is_left_alone(scene: Scene, training: Params) -> None:
    scene.add("plates", "v1")
    scene.promote("plates", "v1")

    assert find_start(training, "plates", "recogniser") is training


@pytest.mark.parametrize(
    ("task", "net", "flow"),
    [
        ("recognition", "training", retrain_lines),
        ("pages", "detector", retrain_pages),
        ("pages", "recogniser", retrain_pages),
    ],
)
def test_a_run_asks_for_the_champion_before_it_prepares_anything(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, task: str, net: str, flow: Any
) -> None:
    scene.add("own", "v1", task="pipeline", detector="own:v2", recogniser="own:v2")
    scene.add("own", "v2", task="none")
    scene.promote("own", "v1")
    monkeypatch.setenv("PADDLEOCR_HOME", str(make_tree(scene.folder)))
    monkeypatch.setenv("OCRLINE_PADDLEOCR_PYTHON", sys.executable)
    project = scene.folder / "own.yaml"
    asked = "{engine: paddleocr, pretrained: champion}"
    project.write_text(f"extends: _base\ntask: {task}\nname: own\n{net}: {asked}\n")

    with pytest.raises(BadInput, match=rf"^{net}\.pretrained: the champion own:v2 does none by "):
        flow.fn(load_params(str(project), overrides=["dataset.root=/nowhere"]), "train")


def make_tree(folder: Path) -> Path:
    nets = ("configs/rec/rec_mv3_none_none_ctc.yml", "configs/det/det_mv3_db.yml")
    for name in ("tools/train.py", "tools/export_model.py", "ppocr/a.py", *nets):
        path = folder / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return folder / "tree"
