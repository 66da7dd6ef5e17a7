"""A training that starts from PP-OCRv6's small recogniser."""

from functools import partial
from typing import Any

from configs.training import RecogniserTrainingParams
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from training.forms.exportable import Run
from training.loop.checkpoint import Arrays, load_weights
from training.recognition.ppocr_v6.columns import class_of_columns, cut_head, find_columns
from training.recognition.ppocr_v6.graph import RecogniserGraph
from training.recognition.ppocr_v6.net import FRAME_PX, PretrainedNetSpec, build_pretrained_net
from training.recognition.start import RecogniserStart

FIRST_LEARNT = 7
"""Blocks before this one take three quarters of a line's time and are general enough."""


def start_pretrained(training: RecogniserTrainingParams, charset: Charset) -> RecogniserStart:
    """Start from PP-OCRv6's weights, with a head for a charset.

    Raises:
        BadInput: The wheel that carries them is not installed, or another.
    """
    graph = RecogniserGraph()
    if training.keep_charset:
        charset = join_charsets(graph.characters, charset)
    columns = find_columns(graph.characters, charset.characters)
    taken = LineSpec(
        training.layout,
        training.height_px,
        training.width_px,
        frame_px=FRAME_PX,
        width_multiple_px=FRAME_PX,
        padding="seen",
    )
    spec = PretrainedNetSpec(taken, charset.characters, class_of_columns(columns))
    weights = graph.weights | cut_head(graph.weights, columns, seed=training.seed)
    front = graph.open_front(FIRST_LEARNT)
    build = partial(_build, spec, weights, front)
    learnt = build().state_dict()
    frozen = {name: value for name, value in weights.items() if name not in learnt}
    new = tuple(c for c, taken in zip(charset.characters, columns[1:], strict=True) if not taken)
    return RecogniserStart(
        spec=spec, charset=charset, new=new, build=build, front=front, frozen=frozen
    )


def join_charsets(characters: tuple[str, ...], charset: Charset) -> Charset:
    """Return all characters of PP-OCRv6, then those of a dataset that it lacks."""
    known = set(characters)
    return Charset((*characters, *(c for c in charset.characters if c not in known)))


def _build(spec: PretrainedNetSpec, weights: Arrays, front: Run) -> Any:
    net = build_pretrained_net(spec, first_block=FIRST_LEARNT, front=front)
    load_weights(net, {name: weights[name] for name in net.state_dict()})
    return net
