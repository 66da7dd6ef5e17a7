"""The ONNX form, converted from the Paddle form."""

from pathlib import Path

import onnx
import onnx.helper
import paddle2onnx

from ocr.errors import OcrError
from training.forms.paddle import MODEL
from training.forms.serving_config import FETCH
from training.forms.static_graph import PARAMETERS

OPSET = 14


class ConversionFailed(OcrError, RuntimeError):
    """A model that paddle2onnx cannot convert; it prints why."""


def export_onnx(paddle_folder: Path, path: Path, *, dimensions: str) -> None:
    """Convert the Paddle form to one ONNX file with named dimensions.

    Args:
        paddle_folder: Folder of the Paddle form.
        path: The file to write.
        dimensions: Names of the output's dimensions, a letter each, such as NTC.

    Raises:
        ConversionFailed: paddle2onnx gave no model.
    """
    try:
        # Given a file name it would have Polygraphy install packages from the internet.
        content = paddle2onnx.export(
            str(paddle_folder / MODEL),
            str(paddle_folder / PARAMETERS),
            save_file=None,
            opset_version=OPSET,
            auto_upgrade_opset=False,
        )
    except UnboundLocalError as error:  # how it reports any failure
        raise ConversionFailed(f"paddle2onnx could not convert {paddle_folder / MODEL}") from error
    model = onnx.load_model_from_string(content)
    _name_dimensions(model, dimensions)
    _constants_to_initializers(model)
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True)
    path.write_bytes(model.SerializeToString())


def _name_dimensions(model: onnx.ModelProto, dimensions: str) -> None:
    (feed,) = model.graph.input
    (fetch,) = model.graph.output
    for value, names in ((feed, "NCHW"), (fetch, dimensions)):
        for dimension, name in zip(value.type.tensor_type.shape.dim, names, strict=True):
            if dimension.dim_param:
                dimension.dim_param = name
    for node in model.graph.node:
        node.output[:] = [FETCH if name == fetch.name else name for name in node.output]
    fetch.name = FETCH


def _constants_to_initializers(model: onnx.ModelProto) -> None:
    """Turn constant nodes, which tools do not take for weights, into weights; drop unused ones."""
    graph = model.graph
    constants = [node for node in graph.node if node.op_type == "Constant"]
    nodes = [node for node in graph.node if node.op_type != "Constant"]
    used = {name for node in nodes for name in node.input}
    tensors = list(graph.initializer)
    for node in constants:
        tensor = onnx.helper.get_node_attr_value(node, "value")
        tensor.name = node.output[0]
        tensors.append(tensor)
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(tensor for tensor in tensors if tensor.name in used)
    graph.node.extend(nodes)
