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

OPERATORS: dict[str, tuple[str, str, dict[str, str]]] = {
    "gelu": ("gelu", "X", {"approximate": "approximate"}),
    "matmul": ("matmul_v2", "XY", {"transpose_x": "trans_x", "transpose_y": "trans_y"}),
    "multiply": ("elementwise_mul", "XY", {}),
    "sigmoid": ("sigmoid", "X", {}),
    "sqrt": ("sqrt", "X", {}),
}
"""Functions of `paddle` and its nets: the operator of each, its tensors, and how it names the other
arguments, in their order."""


def main() -> None:
    """Replace each function wherever it is bound, and as a method of a graph's variables."""
    for name, (operator, tensors, attributes) in OPERATORS.items():
        given = getattr(paddle, name, None) or getattr(paddle.nn.functional, name)
        classic = _append(operator, tensors, attributes, otherwise=given)
        setattr(paddle.static.Variable, name, classic)
        for module in [one for one in sys.modules.values() if isinstance(one, ModuleType)]:
            for key in [key for key, value in vars(module).items() if value is given]:
                setattr(module, key, classic)
    # A legacy graph asks a tensor for all its properties; a recurrent net's may be nowhere yet.
    device = paddle.Tensor.device.fget
    paddle.Tensor.device = property(lambda one: device(one) if one._is_initialized() else None)


def _append(
    operator: str, tensors: str, attributes: Mapping[str, str], *, otherwise: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a function that appends an operator to a legacy graph, and elsewhere is another."""

    def classic(*given: Any, name: str | None = None, **arguments: Any) -> Any:
        if paddle.framework.in_dynamic_or_pir_mode():
            return otherwise(*given, **arguments)
        inputs = dict(zip(tensors, given, strict=False))
        inputs |= {key: arguments.pop(key.lower()) for key in tensors if key.lower() in arguments}
        arguments |= dict(zip(attributes, given[len(tensors) :], strict=False))
        helper = LayerHelper(operator, name=name)
        out = helper.create_variable_for_type_inference(dtype=inputs["X"].dtype)
        settings = {attributes[key]: value for key, value in arguments.items()}
        helper.append_op(type=operator, inputs=inputs, outputs={"Out": out}, attrs=settings)
        return out

    appending: Callable[..., Any] = paddle.jit.not_to_static(classic)
    return appending


if __name__ == "__main__":
    main()
