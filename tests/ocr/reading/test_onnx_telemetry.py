"""ONNX Runtime reports nothing to anybody."""

import os
import subprocess
import sys
from pathlib import Path

import onnx
from onnx import TensorProto, helper

OPEN = """
import sys
from pathlib import Path
from ocr.reading.onnx_session import open_session
open_session(Path(sys.argv[1]).read_bytes(), name="identity", threads=1)
"""


def test_onnx_runtime_keeps_no_record_to_report(tmp_path: Path) -> None:
    node = helper.make_node("Identity", ["x"], ["y"])
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy")
    model = helper.make_model(
        helper.make_graph([node], "identity", [x], [y]),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    onnx.save(model, str(tmp_path / "model.onnx"))
    home = tmp_path / "home"
    home.mkdir()
    # In CI it is silent anyway.
    environment = {key: value for key, value in os.environ.items() if key not in UNASKED}

    subprocess.run(
        [sys.executable, "-c", OPEN, str(tmp_path / "model.onnx")],
        env={**environment, "HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
    )

    assert list(home.rglob("*")) == []


UNASKED = ("CI", "ORT_DISABLE_TELEMETRY", "ORT_RUNNING_UNIT_TESTS", "XDG_CACHE_HOME")
