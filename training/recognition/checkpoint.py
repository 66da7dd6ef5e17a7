"""A recogniser's checkpoint folder: model.npz and net.json."""

from pathlib import Path
from typing import Any

from training.loop.checkpoint import Arrays, load_net, save_net
from training.recognition.net import RecogniserNetSpec, build_recogniser_net


def save_recogniser(folder: Path, *, weights: Arrays, spec: RecogniserNetSpec) -> None:
    """Write a checkpoint into an existing folder."""
    save_net(folder, weights=weights, spec=spec)


def load_recogniser(folder: Path) -> tuple[Any, RecogniserNetSpec]:
    """Return the net, ready to read, and its spec.

    Raises:
        BadData: A file is missing or damaged, or the weights do not fit the spec.
    """
    return load_net(folder, kind=RecogniserNetSpec, build=build_recogniser_net)
