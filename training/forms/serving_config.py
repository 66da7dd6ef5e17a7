"""The Paddle Serving config of a legacy model, written without Paddle Serving.

`paddle_serving_client.convert` imports paddle.fluid, which no current Paddle has. Given the same
names, this text equals its output byte for byte.
"""

import json
from dataclasses import dataclass

FEED = "x"
FETCH = "probabilities"
"""Names that clients use, whatever the exporter calls the tensors inside."""

ELEMENT_TYPES = {"float32": 1, "int64": 0, "int32": 2}
"""Numbers of the types in Paddle Serving 0.9.0's general_model_config.proto."""


@dataclass(frozen=True)
class Variable:
    """An input or output of a model; a dimension of -1 is any."""

    name: str
    alias: str
    dtype: str
    shape: tuple[int, ...]


def format_serving_config(*, feed: Variable, fetch: Variable) -> str:
    """Write the prototxt that server and client share."""
    return _format("feed", feed) + _format("fetch", fetch)


def _format(role: str, variable: Variable) -> str:
    lines = [
        f"{role}_var {{",
        f"  name: {json.dumps(variable.name)}",
        f"  alias_name: {json.dumps(variable.alias)}",
        "  is_lod_tensor: false",
        f"  {role}_type: {ELEMENT_TYPES[variable.dtype]}",
        *(f"  shape: {size}" for size in variable.shape if size >= 0),
        "}",
    ]
    return "".join(f"{line}\n" for line in lines)
