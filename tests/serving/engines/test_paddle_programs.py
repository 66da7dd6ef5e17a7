"""Programs that would touch files are refused before Paddle sees them."""

import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field

from ocr.errors import BadData
from serving.engines.paddle_programs import check_program, check_serving_folder
from serving.engines.pipeline_messages import make_messages

# As of paddle/fluid/framework/framework.proto, with what else a program has.
PROGRAM = make_messages(
    "test.framework",
    {
        "Slot": {"parameter": (1, Field.TYPE_STRING, False), "names": (2, Field.TYPE_STRING, True)},
        "Operator": {"inputs": (1, "Slot", True), "type": (3, Field.TYPE_STRING, False)},
        "Block": {"idx": (1, Field.TYPE_INT32, False), "ops": (4, "Operator", True)},
        "Program": {"blocks": (1, "Block", True)},
    },
)["Program"]
LAYERS = ("feed", "conv2d", "batch_norm_", "depthwise_conv2d", "matmul_v2", "fetch", "p", "a_str")
HARMFUL = (
    "read_file",
    "save",
    "save_combine",
    "load",
    "load_combine",
    "py_func",
    "py_func_",
    "send_v2",
    "listen_and_serv",
    "tensorrt_engine",
    "create_py_reader",
)


def program(*operators: str) -> dict[str, Any]:
    ops = [{"#": f"1.{name}", "A": [{"#": "0.a_str", "D": "load me"}]} for name in operators]
    blocks = [{"#": "block_0", "args": [], "ops": ops}]
    return {"base_code": {"magic": "pir"}, "program": {"regions": [{"#": "r", "blocks": blocks}]}}


def legacy(*operators: str) -> bytes:
    ops = [
        {"inputs": [{"parameter": "X", "names": ["save_infer_model/scale_0"]}], "type": name}
        for name in operators
    ]
    blocks = [{"idx": 0, "ops": ops[:1]}, {"idx": 1, "ops": ops[1:]}]
    encoded: bytes = PROGRAM(blocks=blocks).SerializeToString()
    return encoded


def test_layers_compute(tmp_path: Path) -> None:
    (tmp_path / "inference.json").write_text(json.dumps(program(*LAYERS)))
    (tmp_path / "inference.pdmodel").write_bytes(legacy(*LAYERS))

    check_program(tmp_path / "inference.json")
    check_serving_folder(tmp_path)


@pytest.mark.parametrize("operator", HARMFUL)
def test_what_does_more_is_refused_in_every_form(tmp_path: Path, operator: str) -> None:
    (tmp_path / "inference.json").write_text(json.dumps(program("conv2d", operator)))
    (tmp_path / "inference.pdmodel").write_bytes(legacy("conv2d", operator))

    with pytest.raises(BadData, match=f"operators that do more than compute.*'{operator}'"):
        check_program(tmp_path / "inference.json")
    with pytest.raises(BadData, match=f"operators that do more than compute.*'{operator}'"):
        check_serving_folder(tmp_path)


@pytest.mark.parametrize("name", ["__model__", "other.pdmodel"])
def test_a_program_beside_the_one_that_was_looked_through_is_refused(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "inference.pdmodel").write_bytes(legacy(*LAYERS))
    (tmp_path / name).write_bytes(legacy("load"))

    with pytest.raises(BadData, match=f"programs that no export writes: .*{name}"):
        check_serving_folder(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\xff\xff", b"[" * 100_000])
def test_what_is_no_program_is_bad_data(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "inference.json").write_bytes(content)

    with pytest.raises(BadData, match=r"inference\.json is no Paddle program"):
        check_program(tmp_path / "inference.json")
