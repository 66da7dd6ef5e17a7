"""Lets Paddle write the legacy form of nets whose functions it has for its new form only.

Run in PaddleOCR's interpreter before the tool that exports (`run_tools`). In Paddle 3.3 functions
such as `paddle.matmul` refuse the variables of a legacy graph. There, and only there, these append
the operators that they stood for before. The proof of parity compares what comes of it.
"""

import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import paddle
from paddle.base.layer_helper import LayerHelper

OPERATORS: dict[str, tuple[str, dict[str, str]]] = {
    "matmul": ("matmul_v2", {"transpose_x": "trans_x", "transpose_y": "trans_y"}),
    "multiply": ("elementwise_mul", {}),
    "sigmoid": ("sigmoid", {}),
    "sqrt": ("sqrt", {}),
}
"""Functions of `paddle`: the operator of each, and how that one names its other arguments."""


def main() -> None:
    """Replace each function wherever it is bound, and as a method of a graph's variables."""
    for name, (operator, attributes) in OPERATORS.items():
        given = getattr(paddle, name)
        classic = _append(operator, attributes, otherwise=given)
        setattr(paddle.static.Variable, name, classic)
        for module in [one for one in sys.modules.values() if isinstance(one, ModuleType)]:
            for key in [key for key, value in vars(module).items() if value is given]:
                setattr(module, key, classic)
    # A legacy graph asks a tensor for all its properties; a recurrent net's may be nowhere yet.
    device = paddle.Tensor.device.fget
    paddle.Tensor.device = property(lambda one: device(one) if one._is_initialized() else None)


def _append(
    operator: str, attributes: Mapping[str, str], *, otherwise: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a function that appends an operator to a legacy graph, and elsewhere is another."""

    def classic(*tensors: Any, name: str | None = None, **arguments: Any) -> Any:
        if paddle.framework.in_dynamic_or_pir_mode():
            return otherwise(*tensors, **arguments)
        inputs = dict(zip("XY", tensors, strict=False))
        inputs |= {key.upper(): arguments.pop(key) for key in ("x", "y") if key in arguments}
        helper = LayerHelper(operator, name=name)
        out = helper.create_variable_for_type_inference(dtype=inputs["X"].dtype)
        settings = {attributes[key]: value for key, value in arguments.items()}
        helper.append_op(type=operator, inputs=inputs, outputs={"Out": out}, attrs=settings)
        return out

    appending: Callable[..., Any] = paddle.jit.not_to_static(classic)
    return appending


if __name__ == "__main__":
    main()
