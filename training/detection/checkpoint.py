"""A detector's checkpoint folder: model.npz, boxes.json (how to find boxes) and net.json."""

from pathlib import Path
from typing import Any

from ocr.models.detector_spec import BoxRule
from training.detection.net import DetectorNetSpec, build_detector_net
from training.detection.ppocr_v6.net import PretrainedDetectorSpec, build_pretrained_detector
from training.loop.checkpoint import Arrays, load_net, read_json, save_net, write_json

BOXES = "boxes.json"

NetSpec = DetectorNetSpec | PretrainedDetectorSpec
NET_SPEC: Any = NetSpec
"""As a value; a union is no type[...]."""


def save_detector(folder: Path, *, weights: Arrays, spec: NetSpec, rule: BoxRule) -> None:
    """Write a checkpoint into an existing folder."""
    write_json(folder / BOXES, rule)
    save_net(folder, weights=weights, spec=spec)


def load_detector(folder: Path) -> tuple[Any, NetSpec, BoxRule]:
    """Return the net, ready to find text, its spec and its rule.

    Raises:
        BadData: A file is missing or damaged, or the weights do not fit the spec.
    """
    rule = read_json(folder / BOXES, BoxRule)
    net, spec = load_net(folder, kind=NET_SPEC, build=build_net)
    return net, spec, rule


def build_net(spec: NetSpec) -> Any:
    """Build the whole net of a spec."""
    if isinstance(spec, PretrainedDetectorSpec):
        return build_pretrained_detector()
    return build_detector_net(spec)
