"""The weights of a checkpoint folder (model.npz), and what the nets' own files are read with."""

from pathlib import Path
from typing import Any, TypeVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from ocr.errors import BadData

WEIGHTS = "model.npz"

Arrays = dict[str, NDArray[Any]]

Spec = TypeVar("Spec")


def save_weights(folder: Path, weights: Arrays) -> None:
    """Write weights into an existing folder."""
    np.savez(folder / WEIGHTS, allow_pickle=False, **weights)


def read_spec(path: Path, kind: type[Spec]) -> Spec:
    """Read a dataclass from a JSON file of a checkpoint.

    Raises:
        BadData: The file is missing or damaged.
    """
    try:
        return TypeAdapter(kind).validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadData(f"{path.parent} is no usable checkpoint: {error}") from error


def restore_net(folder: Path, net: Any) -> Any:
    """Return a net with the weights of a checkpoint, ready for use.

    Raises:
        BadData: They are missing or damaged, or belong to another net.
    """
    try:
        weights = read_arrays(folder / WEIGHTS)
    except (OSError, ValueError, BadZipFile) as error:
        raise BadData(f"{folder} is no usable checkpoint: {error}") from error
    load_weights(net, weights)
    net.eval()
    return net


def read_arrays(path: Path) -> Arrays:
    """Read an .npz file, refusing pickles."""
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def load_weights(net: Any, weights: Arrays) -> None:
    """Set every weight of a net.

    Raises:
        BadData: A weight is missing, unknown or of another shape, say of another charset.
    """
    shapes = {name: list(value.shape) for name, value in net.state_dict().items()}
    given = {name: list(value.shape) for name, value in weights.items()}
    for name in sorted(shapes.keys() | given.keys()):
        if shapes.get(name) != given.get(name):
            raise BadData(
                f"Weight {name} has shape {given.get(name)}, the net expects {shapes.get(name)}: "
                "the checkpoint belongs to another charset or size"
            )
    net.set_state_dict(weights)


def read_weights(net: Any) -> Arrays:
    """Copy every weight of a net to host memory."""
    return {name: np.array(value.numpy()) for name, value in net.state_dict().items()}
