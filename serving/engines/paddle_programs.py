"""What a Paddle program may not do: a bundle's net computes, and touches neither files nor network.

Paddle has operators that take the name of a file (`read_file`, `save_combine`), run Python or talk
to other machines. Whoever may write to the store could have them run where the gateway does.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field
from google.protobuf.message import DecodeError

from ocr.errors import BadData
from serving.engines.pipeline_messages import Fields, make_messages

REFUSED: Final = re.compile(
    r"(^|_)(file|load|save|read|reader|py|pyfunc|pylayer|print|send|recv|listen|rpc|queue|engine)"
    r"(_|$)"
)
"""Words in the names of such operators, of Paddle 2 and 3; layers of networks have none of them."""
LEGACY: Final = "inference.pdmodel"
_FIELDS: Final[Fields] = {
    "Operator": {"type": (3, Field.TYPE_STRING, False)},
    "Block": {"ops": (4, "Operator", True)},
    "Program": {"blocks": (1, "Block", True)},
}
_PROGRAM: Final[Any] = make_messages("paddle.framework", _FIELDS)["Program"]


def check_program(path: Path) -> None:
    """Look through `inference.json` or `inference.pdmodel` before Paddle loads it.

    Raises:
        BadData: It is no program, or has an operator that does more than compute.
    """
    try:
        data = path.read_bytes()
        names = set(_find_json(json.loads(data)) if path.suffix == ".json" else _find_proto(data))
    except (OSError, ValueError, DecodeError, RecursionError) as error:
        raise BadData(f"{path.name} is no Paddle program: {error}") from error
    refused = sorted(name[:50] for name in names if REFUSED.search(name.rstrip("_")))
    if refused:
        raise BadData(
            f"{path.name} has operators that do more than compute, which no net of ours has: "
            f"{', '.join(map(repr, refused[:5]))}"
        )


def check_serving_folder(folder: Path) -> None:
    """Look through what Paddle Serving would load from a folder, the same way.

    Raises:
        BadData: It has another program than `inference.pdmodel`, or that is refused.
    """
    # Paddle Serving takes `__model__` first, and of several programs any.
    programs = {each.name for each in (*folder.glob("*.pdmodel"), *folder.glob("__*"))}
    if others := sorted(programs - {LEGACY}):
        raise BadData(f"{folder.name} has programs that no export writes: {others[:5]}")
    check_program(folder / LEGACY)


def _find_json(node: Any) -> Iterator[str]:
    """Yield what the nodes of a program are called, without the numbers of their dialects."""
    if isinstance(node, dict):
        name = node.get("#")
        if isinstance(name, str):
            yield name.rpartition(".")[2]
        for value in node.values():
            yield from _find_json(value)
    elif isinstance(node, list):
        for value in node:
            yield from _find_json(value)


def _find_proto(data: bytes) -> Iterator[str]:
    program = _PROGRAM.FromString(data)
    return (operator.type for block in program.blocks for operator in block.ops)
