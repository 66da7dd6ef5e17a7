"""A detector's checkpoint folder: model.npz, boxes.json (how to find boxes) and net.json."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ocr.models.detector_spec import BoxRule
from training.detection.net import DetectorNetSpec, build_detector_net
from training.loop.checkpoint import Arrays, read_spec, restore_net, save_weights

SPEC = "net.json"
BOXES = "boxes.json"


def save_detector(folder: Path, *, weights: Arrays, spec: DetectorNetSpec, rule: BoxRule) -> None:
    """Write a checkpoint into an existing folder; net.json comes last."""
    save_weights(folder, weights)
    for name, values in ((BOXES, rule), (SPEC, spec)):
        (folder / name).write_text(json.dumps(asdict(values), indent=1), encoding="utf-8")


def load_detector(folder: Path) -> tuple[Any, DetectorNetSpec, BoxRule]:
    """Return the net, ready to find text, its spec and its rule.

    Raises:
        BadData: A file is missing or damaged, or the weights do not fit the spec.
    """
    spec = read_spec(folder / SPEC, DetectorNetSpec)
    rule = read_spec(folder / BOXES, BoxRule)
    return restore_net(folder, build_detector_net(spec)), spec, rule
