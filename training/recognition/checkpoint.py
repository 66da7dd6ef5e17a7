"""A recogniser's checkpoint folder: model.npz and net.json."""

from pathlib import Path
from typing import Any

from training.loop.checkpoint import Arrays, load_net, save_net
from training.recognition.net import RecogniserNetSpec, build_recogniser_net
from training.recognition.ppocr_v6.net import PretrainedNetSpec, build_pretrained_net

NetSpec = RecogniserNetSpec | PretrainedNetSpec
NET_SPEC: Any = NetSpec
"""As a value; a union is no type[...]."""


def save_recogniser(folder: Path, *, weights: Arrays, spec: NetSpec) -> None:
    """Write a checkpoint into an existing folder."""
    save_net(folder, weights=weights, spec=spec)


def load_recogniser(folder: Path) -> tuple[Any, NetSpec]:
    """Return the net, ready to read, and its spec.

    Raises:
        BadData: A file is missing or damaged, or the weights do not fit the spec.
    """
    return load_net(folder, kind=NET_SPEC, build=build_net)


def build_net(spec: NetSpec) -> Any:
    """Build the whole net of a spec."""
    if isinstance(spec, PretrainedNetSpec):
        return build_pretrained_net(spec)
    return build_recogniser_net(spec)
