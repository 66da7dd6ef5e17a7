"""ONNX models ready to run on the CPU."""

import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as failures

from ocr.errors import BadData

QUIET = 3
"""Severity from which ONNX Runtime logs: errors."""
FURTHER_FILES = "session.model_external_initializers_file_folder_path"
NOWHERE = "/dev/null"
"""The folder of a model's further files. It has none: one that names a file elsewhere would make
any file of this machine a weight, and what the net reads could tell its content."""


def open_session(model: bytes, *, name: str, threads: int) -> onnxruntime.InferenceSession:
    """Load the content of an ONNX file.

    Args:
        model: The content.
        name: Of the model, for the error.
        threads: Threads within one call.

    Raises:
        BadData: It is no model that ONNX Runtime can run.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = QUIET
    # Threads that wait in a loop slow each other down where there are more of them than cores:
    # 184 ms a page with two of them, 103 ms with two that sleep, on a machine busy otherwise.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry(FURTHER_FILES, NOWHERE)
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except (
        failures.Fail,
        failures.InvalidArgument,
        failures.InvalidGraph,
        failures.InvalidProtobuf,
        failures.NotImplemented,
        failures.RuntimeException,
    ) as error:
        raise BadData(f"{name} has no usable ONNX model: {error}") from error
