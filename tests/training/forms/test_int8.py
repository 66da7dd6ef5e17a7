"""A net in 8 bits answers nearly as it did, by the same sums on every machine."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from training.forms.int8 import QuantisationFailed, export_int8

CHANNELS = (3, 16, 16, 4)
INPUTS = [np.random.default_rng(n).uniform(-1, 1, (1, 3, 8, 24)).astype("f4") for n in range(8)]


def write_net(path: Path, *, convolutions: int = 3) -> Path:
    """Convolutions one after another, with a ReLU between them."""
    random = np.random.default_rng(0)
    nodes, weights, last = [], [], "x"
    for n, (before, after) in enumerate(pairwise(CHANNELS)):
        if n == convolutions:
            break
        kernel = random.normal(0, 0.3, (after, before, 3, 3)).astype("f4")
        weights.append(numpy_helper.from_array(kernel, f"kernel{n}"))
        nodes.append(
            helper.make_node(
                "Conv", [last, f"kernel{n}"], [f"conv{n}"], name=f"conv{n}", pads=[1, 1, 1, 1]
            )
        )
        nodes.append(helper.make_node("Relu", [f"conv{n}"], [f"relu{n}"], name=f"relu{n}"))
        last = f"relu{n}"
    nodes.append(helper.make_node("Identity", [last], ["y"]))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, 8, "W"])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", "C", 8, "W"])
    graph = helper.make_graph(nodes, "toy", [x], [y], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    onnx.save(model, str(path))
    return path


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("int8")
    model = write_net(folder / "model.onnx")
    export_int8(model, folder / "int8.onnx", INPUTS, work=folder)
    return model, folder / "int8.onnx"


def answer(model: Path, x: NDArray[np.float32]) -> NDArray[np.float32]:
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    found: NDArray[np.float32] = session.run(None, {"x": x})[0]
    return found


def test_it_answers_nearly_as_in_float32(forms: tuple[Path, Path]) -> None:
    unseen = np.random.default_rng(99).uniform(-1, 1, (2, 3, 8, 40)).astype("f4")
    expected, found = (answer(form, unseen) for form in forms)

    error = np.abs(found - expected).mean() / np.abs(expected).mean()
    assert 0 < error < 0.05


def test_the_first_convolution_stays_and_the_others_have_weights_of_seven_bits(
    forms: tuple[Path, Path],
) -> None:
    graph = onnx.load(str(forms[1])).graph
    weights = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    kernels = {name: value for name, value in weights.items() if value.ndim == 4}

    small = {name for name, value in kernels.items() if value.dtype == np.int8}
    assert {name.partition("_")[0] for name in small} == {"kernel1", "kernel2"}
    assert {name for name in kernels if name not in small} == {"kernel0"}
    assert all(np.abs(kernels[name].astype(int)).max() == 64 for name in small)


def test_no_two_products_overflow_sixteen_bits(forms: tuple[Path, Path]) -> None:
    graph = onnx.load(str(forms[1])).graph
    values = [numpy_helper.to_array(each) for each in graph.initializer]

    most = max(int(np.abs(v.astype(int)).max()) for v in values if v.dtype == np.int8 and v.ndim)
    assert 2 * 255 * most < 2**15


def test_a_net_with_nothing_to_quantise_is_refused(tmp_path: Path) -> None:
    model = write_net(tmp_path / "model.onnx", convolutions=1)

    with pytest.raises(QuantisationFailed, match=r"1 convolutions.*int8: false"):
        export_int8(model, tmp_path / "int8.onnx", INPUTS, work=tmp_path)

    assert not (tmp_path / "int8.onnx").exists()


@pytest.mark.filterwarnings("ignore:All-NaN axis")
@pytest.mark.parametrize(
    ("inputs", "said"), [([], "No data"), ([np.full((1, 3, 8, 24), np.nan, "f4")], "scale")]
)
def test_what_has_no_ranges_is_refused_and_leaves_nothing(
    inputs: list[NDArray[np.float32]], said: str, tmp_path: Path
) -> None:
    model = write_net(tmp_path / "model.onnx")

    with pytest.raises(QuantisationFailed, match=rf"8 bits \(.*{said}.*int8: false"):
        export_int8(model, tmp_path / "int8.onnx", inputs, work=tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["model.onnx"]


def test_convolutions_without_a_name_are_quantised_all_the_same(tmp_path: Path) -> None:
    model = write_net(tmp_path / "model.onnx")
    nameless = onnx.load(str(model))
    for node in nameless.graph.node:
        node.name = ""
    onnx.save(nameless, str(model))

    export_int8(model, tmp_path / "int8.onnx", INPUTS, work=tmp_path)

    weights = onnx.load(str(tmp_path / "int8.onnx")).graph.initializer
    kernels = [numpy_helper.to_array(each) for each in weights if len(each.dims) == 4]
    assert sorted(kernel.dtype.name for kernel in kernels) == ["float32", "int8", "int8"]
