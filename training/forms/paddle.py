"""The form that stock paddleocr loads: PIR model, parameters and inference.yml."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from training.forms.predictor import Predictor
from training.forms.static_graph import PARAMETERS
from training.forms.trained_net import Net

MODEL = "inference.json"
CONFIG = "inference.yml"

DETECTOR_NAME = "PP-OCRv5_mobile_det"
"""paddleocr loads only models of a name it knows; of this name, it limits a page's longer side."""
RECOGNISER_NAME = "PP-OCRv5_mobile_rec"
"""The name for recognisers; under it paddleocr loads any CTC model."""


def export_paddle(net: Net, *, config: Mapping[str, Any], folder: Path) -> None:
    """Write the form; the net is unusable afterwards.

    Args:
        net: The net.
        config: Content of inference.yml.
        folder: Where; it must not exist.
    """
    folder.mkdir(parents=True)
    net.save(folder, legacy=False)
    text = yaml.safe_dump(dict(config), allow_unicode=True, sort_keys=False)
    (folder / CONFIG).write_text(text, encoding="utf-8")


def read_config(folder: Path) -> dict[str, Any]:
    """Read inference.yml."""
    config: dict[str, Any] = yaml.safe_load((folder / CONFIG).read_text(encoding="utf-8"))
    return config


def preprocessing(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the steps of an inference.yml before the net, by name."""
    steps: dict[str, Any] = {}
    for step in config["PreProcess"]["transform_ops"]:
        steps |= step
    return steps


def load_predictor(folder: Path, *, onednn: bool) -> Predictor:
    """Load the form, with or without oneDNN's kernels."""
    return Predictor(folder / MODEL, folder / PARAMETERS, onednn=onednn)
