"""An ONNX model is all in its own file."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import AttributeProto, ModelProto, TensorProto, helper

from ocr.errors import BadData
from ocr.reading.onnx_session import open_session

SECRET = b"of the operator!"


def of_file(path: str, *, as_constant: bool) -> bytes:
    """A net whose answer is the content of a file, named as its weights."""
    weights = TensorProto(name="w", data_type=TensorProto.UINT8, dims=[len(SECRET)])
    weights.data_location = TensorProto.EXTERNAL
    for key, value in (("location", path), ("offset", "0"), ("length", str(len(SECRET)))):
        weights.external_data.add(key=key, value=value)
    nodes = [helper.make_node("Identity", ["w"], ["y"])]
    if as_constant:
        constant = helper.make_node("Constant", [], ["w"])
        constant.attribute.add(name="value", type=AttributeProto.TENSOR, t=weights)
        nodes.insert(0, constant)
    output = helper.make_tensor_value_info("y", TensorProto.UINT8, [len(SECRET)])
    graph = helper.make_graph(nodes, "g", [], [output], [] if as_constant else [weights])
    opset = helper.make_opsetid("", 14)
    model: ModelProto = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    encoded: bytes = model.SerializeToString()
    return encoded


@pytest.mark.parametrize("as_constant", [False, True])
@pytest.mark.parametrize("path", ["secret", "./secret", "../{folder}/secret", "{whole}/secret"])
def test_no_file_of_this_machine_is_a_weight(
    path: str, as_constant: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").write_bytes(SECRET)
    monkeypatch.chdir(tmp_path)
    named = path.format(folder=tmp_path.name, whole=tmp_path)

    with pytest.raises(BadData, match=r"the net has no usable ONNX model: .*[Ee]xternal data"):
        open_session(of_file(named, as_constant=as_constant), name="the net", threads=1)


def test_a_model_without_further_files_is_loaded() -> None:
    model = onnx.load_model_from_string(of_file("none", as_constant=False))
    (weights,) = model.graph.initializer
    weights.ClearField("external_data")
    weights.data_location = TensorProto.DEFAULT
    weights.raw_data = SECRET

    (found,) = open_session(model.SerializeToString(), name="the net", threads=1).run(None, {})

    assert np.asarray(found).tobytes() == SECRET
