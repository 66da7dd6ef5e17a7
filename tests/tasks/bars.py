"""Lines of grey bars: a domain of the digits 0 to 4, and a general set of the digits 5 to 9.

Versions are charsets: what each reads is known (see tests.serving.tiny_bundle).
"""

from itertools import product
from pathlib import Path

from configs.further import FurtherLinesParams
from configs.presets import load_params
from configs.retrain import RetrainLinesParams
from ocr.models.registry import Registry
from tasks.references import ModelRef
from tasks.workspace import open_workspace
from tests.serving.tiny_bundle import make_bundle, png
from tests.serving.tiny_pipeline import make_detector

READS_ALL = "0123456789"
READS_GENERAL = "abcde56789"
READS_DOMAIN = "01234fghij"
LINES = 60


def write_lines(root: Path, digits: str, *, labels: str = "labels.txt", count: int = LINES) -> None:
    """Write lines over some digits with a label file."""
    root.mkdir(exist_ok=True)
    texts = ["".join(each) for each in product(digits, repeat=3)][:count]
    for text in texts:
        (root / f"{text}.png").write_bytes(png(text))
    (root / labels).write_text("".join(f"{text}.png\t{text}\n" for text in texts))


def register_parts(registry: Registry, folder: Path, **recognisers: str) -> None:
    """Register a detector d1 of pages, and recognisers by their version, each with its charset."""
    detector = make_detector(folder / "d1", name="pages-detector", version="d1")
    registry.register("pages-detector", "d1", detector)
    for version, characters in recognisers.items():
        bundle = make_bundle(
            folder / version, name="pages-recogniser", version=version, characters=characters
        )
        registry.register("pages-recogniser", version, bundle)


def describe_project(folder: Path, *further: FurtherLinesParams) -> RetrainLinesParams:
    """Write the domain's lines, and describe a project that is deployed nowhere."""
    write_lines(folder / "domain", "01234")
    given = {
        "dataset.root": str(folder / "domain"),
        "dataset.train_labels": "labels.txt",
        "dataset.name": "bars",
        "dataset.split.test_share": "0.6",
        "dataset.split.near_duplicate_bits": "0",
        "evaluation.baseline": "none",
        "evaluation.resamples": "200",
        "gate.min_accuracy": "0.1",
        "gate.margin": "0.2",
        "deployment.target": "none",
        "name": "bars",
    }
    params = load_params("_base", overrides=[f"{key}={value}" for key, value in given.items()])
    assert isinstance(params, RetrainLinesParams)
    evaluation = params.evaluation.model_copy(update={"further": list(further)})
    return params.model_copy(update={"evaluation": evaluation})


def add_version(folder: Path, version: str, characters: str, dataset_digest: str = "d") -> ModelRef:
    """Register a version that reads bars as these characters."""
    bundle = make_bundle(
        folder / version, version=version, characters=characters, dataset_digest=dataset_digest
    )
    open_workspace().registry.register("bars", version, bundle)
    return ModelRef("bars", version, checkpoints=(f"checkpoints/{version}",))
