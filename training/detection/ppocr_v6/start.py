"""A training that starts from PP-OCRv6's small detector."""

from functools import partial
from typing import Any

import numpy as np

from configs.training import DetectorTrainingParams
from ocr.models.detector_spec import PageSpec
from training.detection.net import GREY
from training.detection.ppocr_v6.net import (
    SEEN_AFTER,
    PretrainedDetectorSpec,
    build_pretrained_detector,
    convolutions,
)
from training.forms.exportable import Run
from training.loop.checkpoint import Arrays, load_weights
from training.ppocr_v6.graph import PretrainedGraph
from training.start import Start

FIRST_LEARNT = min(SEEN_AFTER) + 1
"""Blocks before this one see large maps, which take most of the memory, and are general enough."""
FIRST_KERNEL = "stem.first.conv.weight"


def start_pretrained(training: DetectorTrainingParams) -> Start:
    """Start from PP-OCRv6's weights, on grey pages.

    Raises:
        BadInput: The wheel that carries them is not installed, or another.
    """
    graph = PretrainedGraph("PP-OCRv6_det_small.onnx")
    weights = graph.convolutions(convolutions())
    weights[FIRST_KERNEL] = ignore_colour(weights[FIRST_KERNEL])
    front = graph.open_front(FIRST_LEARNT)
    spec = PretrainedDetectorSpec(PageSpec(training.long_side_px), net="ppocr-v6-small")
    build = partial(_build, weights, front)
    learnt = build().state_dict()
    frozen = {name: value for name, value in weights.items() if name not in learnt}
    return Start(spec=spec, build=build, front=front, frozen=frozen)


def ignore_colour(kernel: np.ndarray[Any, np.dtype[np.float32]]) -> Any:
    """Return a kernel (C, 3, h, w) that sees of a page in colour what it sees of the grey page.

    Training pages are grey, a third of the memory.
    """
    grey = np.array(GREY, dtype=np.float32).reshape(1, 3, 1, 1)
    return kernel.sum(axis=1, keepdims=True) * grey


def _build(weights: Arrays, front: Run) -> Any:
    net = build_pretrained_detector(first_block=FIRST_LEARNT, front=front)
    load_weights(net, {name: weights[name] for name in net.state_dict()})
    return net
