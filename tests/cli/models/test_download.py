"""A version as files: where other tools load it from."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli.main import run
from ocr.models.bundle import read_detector_bundle, read_recogniser_bundle
from ocr.models.pipeline import read_pipeline
from ocr.models.registry import Registry
from ocr.store.local import LocalStore
from ocr.store.whole import sha256_of
from tests.serving.tiny_bundle import DIGITS
from tests.serving.tiny_pipeline import register_pipeline
from tests.toy_bundle import write_toy_bundle

Out = pytest.CaptureFixture[str]


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A registry with a champion, in whose neighbourhood commands are given."""
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    registry = Registry(LocalStore(tmp_path / "store"))
    registry.register("toy", "v1", write_toy_bundle(tmp_path / "toy", version="v1"))
    registry.promote("toy", "v1", reason="the first")
    return registry


def test_a_net_is_a_folder_that_loads(registry: Registry, capsys: Out) -> None:
    assert run(["models", "download", "toy", "bundle"]) == 0

    assert capsys.readouterr().out == "bundle: toy:v1\n"
    assert read_recogniser_bundle(Path("bundle")).version == "v1"


def test_a_pipeline_comes_with_the_nets_that_it_is_made_of(
    registry: Registry, tmp_path: Path, capsys: Out
) -> None:
    register_pipeline(registry, tmp_path / "made", version="v7", characters=DIGITS)

    assert run(["models", "download", "pages:v7", "app/model", "--json"]) == 0

    said = json.loads(capsys.readouterr().out)
    folders = {Path(folder).name: Path(folder) for folder in said["folders"]}
    pipeline = read_pipeline(folders["pipeline"])
    detector = read_detector_bundle(folders["detector"])
    recogniser = read_recogniser_bundle(folders["recogniser"])
    assert said["model"] == f"{pipeline.name}:{pipeline.version}"
    assert pipeline.detector == f"{detector.name}:{detector.version}"
    assert pipeline.recogniser == f"{recogniser.name}:{recogniser.version}"


def test_rapidocr_reads_with_it_as_the_guide_says(registry: Registry, tmp_path: Path) -> None:
    register_pipeline(registry, tmp_path / "made", version="v7", characters=DIGITS)
    assert run(["models", "download", "pages:v7", "bundle"]) == 0

    engine = made_as_in_the_guide()

    golden = Path("bundle/pipeline/golden")
    pages = json.loads((golden / "outputs.json").read_text())["images"]
    told = {page["file"]: [line["text"] for line in page["lines"]] for page in pages}
    read = {name: list(engine(str(golden / "inputs" / name)).txts) for name in told}
    assert read == told
    assert (engine.use_cls, engine.text_score) == (False, 0)  # no line is turned or left out


def made_as_in_the_guide() -> Any:
    """RapidOCR with the parameters of the guide, and those that it takes of manifests."""
    guide = (Path(__file__).resolve().parents[3] / "docs/guide/models.md").read_text()
    (code,) = re.findall(r"```python\n(from rapidocr .*?)```", guide, flags=re.DOTALL)
    for role, group in (("detector", "Det"), ("recogniser", "Rec")):
        manifest = json.loads(Path("bundle", role, "manifest.json").read_text())
        for key, fields in re.findall(rf'"({group}\.\w+)": .*# (\w+\.[\w., ]+)\n', code):
            values = [manifest[a][b] for a, b in (each.split(".") for each in fields.split(", "))]
            value = [3, *values] if len(values) > 1 else values[0]
            code = re.sub(rf'"{key}": .*', f'"{key}": {value},', code)
    names: dict[str, Any] = {}
    exec(code, names)
    return names["pages"]


def test_no_manifest_names_a_place_outside(registry: Registry, tmp_path: Path) -> None:
    register_pipeline(registry, tmp_path / "made", version="v7", characters=DIGITS)
    (manifest,) = (tmp_path / "store" / "models" / "pages" / "v7").rglob("manifest.json")
    manifest.chmod(0o644)
    manifest.write_text(manifest.read_text().replace('"pipeline"', '"../../outside"'))
    folder = manifest.parent.rename(manifest.parent.with_name(sha256_of(manifest)[:16]))
    pointer = folder.with_name("published.json")
    pointer.chmod(0o644)
    pointer.write_text(json.dumps({"prefix": f"models/pages/v7/{folder.name}"}))

    assert run(["models", "download", "pages:v7", "bundle"]) == 0

    assert sorted(path.name for path in Path("bundle").iterdir()) == [
        *("detector", "pipeline", "recogniser")
    ]
    assert not (tmp_path / "outside").exists()


def test_what_is_there_stays_and_what_is_damaged_does_not_come(
    registry: Registry, tmp_path: Path, capsys: Out
) -> None:
    Path("there").mkdir()
    assert run(["models", "download", "toy", "there"]) != 0
    assert "there is there already" in capsys.readouterr().err

    (weights,) = (tmp_path / "store" / "models" / "toy").rglob("model.onnx")
    weights.chmod(0o644)
    weights.write_bytes(b"x")
    assert run(["models", "download", "toy", "other"]) != 0
    assert "is damaged" in capsys.readouterr().err
    assert [path.name for path in Path().iterdir()] == ["there"]
