"""What the checkpoint folders of all nets hold: model.npz and net.json."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from ocr.errors import BadData
from ocr.models.array_file import open_arrays

WEIGHTS = "model.npz"
NET = "net.json"

Arrays = dict[str, NDArray[Any]]

Spec = TypeVar("Spec")


def save_net(folder: Path, *, weights: Arrays, spec: Any) -> None:
    """Write weights and, last, the dataclass that the net is built from."""
    np.savez(folder / WEIGHTS, allow_pickle=False, **weights)
    write_json(folder / NET, spec)


def load_net(folder: Path, *, kind: type[Spec], build: Callable[[Spec], Any]) -> tuple[Any, Spec]:
    """Return a net out of training with the weights of a checkpoint, and its spec.

    Args:
        folder: The checkpoint.
        kind: Dataclass that the net is built from.
        build: Builds a net from it.

    Raises:
        BadData: A file is missing or damaged, or the weights belong to another net.
    """
    spec = read_json(folder / NET, kind)
    weights = read_arrays(folder / WEIGHTS)
    net = build(spec)
    load_weights(net, weights)
    net.eval()
    return net, spec


def write_json(path: Path, value: Any) -> None:
    """Write a dataclass as JSON."""
    path.write_text(json.dumps(asdict(value), ensure_ascii=False, indent=1), encoding="utf-8")


def read_json(path: Path, kind: type[Spec]) -> Spec:
    """Read a dataclass from a JSON file of a checkpoint.

    Raises:
        BadData: The file is missing or damaged.
    """
    try:
        return TypeAdapter(kind).validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadData(f"{path.parent} is no usable checkpoint: {error}") from error


def read_arrays(path: Path) -> Arrays:
    """Read an .npz file of a checkpoint: its arrays are not packed, and so no larger than the file.

    Raises:
        BadData: The file is missing or damaged, or would unpack to more.
    """
    size = path.stat().st_size if path.is_file() else 0
    with open_arrays(path, kind="checkpoint", most_bytes=size) as arrays:
        return {name: arrays[name] for name in arrays.stored}


def load_weights(net: Any, weights: Arrays) -> None:
    """Set every weight of a net, in the net's own precision.

    Raises:
        BadData: A weight is missing, unknown or of another shape, say of another charset.
    """
    own = net.state_dict()
    shapes = {name: list(value.shape) for name, value in own.items()}
    given = {name: list(value.shape) for name, value in weights.items()}
    for name in sorted(shapes.keys() | given.keys()):
        if shapes.get(name) != given.get(name):
            raise BadData(
                f"Weight {name} has shape {given.get(name)}, the net expects {shapes.get(name)}: "
                "the checkpoint belongs to another charset or size"
            )
    for name, tensor in own.items():
        whole = tensor.astype("float32")
        whole.set_value(weights[name])
        tensor.set_value(whole.astype(tensor.dtype))


def read_weights(net: Any) -> Arrays:
    """Copy every weight of a net to host memory, as float32."""
    return {name: to_host(value) for name, value in net.state_dict().items()}


def to_host(tensor: Any) -> NDArray[np.float32]:
    """Copy a tensor to host memory, as float32; numpy knows no bfloat16."""
    # np.array copies: on a CPU, numpy() shares the tensor's memory.
    return np.array(tensor.astype("float32").numpy())
