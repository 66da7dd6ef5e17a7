"""Runs one exported net in a Paddle Serving pipeline that answers at a socket file.

    PYTHON service.py MODEL SOCKET VERSION THREADS

PYTHON is a Python 3.9 with Paddle Serving 0.9 (`make serving-runtime`), MODEL a bundle's `serving/`
folder. It takes tensors and gives tensors: what decides what is read, the fit of a line, boxes and
decoding, is code that both the evaluation and the gateway run. It ends when its standard input
does, which whoever started it holds open.

Paddle Serving 0.9 has traps, and this is how they are avoided: its server listens on every address
(here at a file alone), its HTTP proxy outlives it (not started), a predictor that ops share answers
one request with another's result (one op thread, one call at a time, no batching across requests),
a tensor of type 13 is unpickled (only float32 by its bytes is taken), and it logs twenty lines a
request (errors only).
"""

import logging
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, Optional, Tuple  # of Python 3.9

FLOAT32 = 1
MOST_BYTES = 256 * 2**20
CALLS = 2
"""One that runs and one that waits, such as a probe."""
FEED = "x"
OP = "net"
NOT_ONE_TENSOR, WRONG_TYPE, WRONG_SIZE, NO_OUTPUT = 5001, 5002, 5003, 5004
"""Error numbers of an answer, beside those of Paddle Serving itself."""

Unpacked = Tuple[Dict[str, Any], int, Optional[int], str]


def main(model: str, socket: str, version: str, threads: str) -> None:
    """Serve until standard input ends, and leave nothing in the folder of the socket."""
    os.environ["SERVING_LOG_PATH"] = tempfile.mkdtemp(dir=os.path.dirname(socket))
    import grpc
    from paddle_serving_server.pipeline.pipeline_server import (
        PipelineServicer,
        ServerYamlConfChecker,
    )
    from paddle_serving_server.pipeline.proto.pipeline_service_pb2_grpc import (
        add_PipelineServiceServicer_to_server as add_to_server,
    )

    _be_quiet()
    config = ServerYamlConfChecker.load_server_yaml_conf(yml_dict=_configure(model, int(threads)))
    response = _make_ops(version)
    (net,) = response.get_input_ops()
    net.init_from_dict(config["op"][OP])
    net.launch_local_rpc_service()
    sizes = [(f"grpc.max_{way}_message_length", MOST_BYTES) for way in ("send", "receive")]
    server = grpc.server(ThreadPoolExecutor(CALLS), options=sizes)
    add_to_server(PipelineServicer("ocrline", response, config), server)
    server.add_insecure_port(f"unix:{socket}")
    server.start()
    sys.stdin.buffer.read()
    shutil.rmtree(os.path.dirname(socket), ignore_errors=True)
    os._exit(0)  # Paddle's threads would keep it


def _configure(model: str, threads: int) -> Dict[str, Any]:
    local = {
        "client_type": "local_predictor",
        "model_config": model,
        "thread_num": threads,
        "device_type": 0,
        "devices": "",
        "ir_optim": True,
        "use_mkldnn": True,
        "mkldnn_cache_capacity": 64,
    }
    op = {"concurrency": 1, "local_service_conf": local}
    return {"rpc_port": 9993, "dag": {"is_thread_op": True}, "op": {OP: op}}


def _be_quiet() -> None:
    """Say errors only, and nothing of how a net is compiled."""
    from paddle import inference

    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.ERROR)
    logging.basicConfig(handlers=[handler], level=logging.ERROR, force=True)
    create = inference.create_predictor

    def create_quietly(config: Any) -> Any:
        config.disable_glog_info()
        return create(config)

    inference.create_predictor = create_quietly


def _make_ops(version: str) -> Any:
    import numpy as np
    from paddle_serving_server.pipeline.operator import Op, RequestOp, ResponseOp
    from paddle_serving_server.pipeline.proto.pipeline_service_pb2 import Response

    class TakeTensor(RequestOp):  # type: ignore[misc]
        """Takes one float32 tensor by its bytes, and nothing else."""

        def unpack_request_package(self, request: Any) -> Unpacked:
            if len(request.tensors) != 1:
                return {}, request.logid, NOT_ONE_TENSOR, f"{len(request.tensors)} tensors, not 1"
            (tensor,) = request.tensors
            if tensor.elem_type != FLOAT32:
                return {}, request.logid, WRONG_TYPE, f"elem_type {tensor.elem_type}, not {FLOAT32}"
            shape = tuple(tensor.shape)
            expected = 4 * int(np.prod(shape, dtype=np.float64)) if min(shape, default=0) > 0 else 0
            if not expected or len(tensor.byte_data) != expected:
                said = f"{len(tensor.byte_data)} bytes for the shape {shape}"
                return {}, request.logid, WRONG_SIZE, said
            array = np.frombuffer(tensor.byte_data, np.float32).reshape(shape)
            return {FEED: array}, request.logid, None, ""

    class RunNet(Op):  # type: ignore[misc]
        """Runs the net; its one output is the answer."""

        def preprocess(self, inputs: Any, data_id: int = 0, log_id: int = 0) -> Any:
            (found,) = inputs.values()
            return {FEED: found[FEED]}, False, None, ""

        def postprocess(self, inputs: Any, found: Any, data_id: int = 0, log_id: int = 0) -> Any:
            outputs = [value for name, value in found.items() if not name.endswith(".lod")]
            if len(outputs) != 1:
                return {}, NO_OUTPUT, f"the net has {len(outputs)} outputs, not 1"
            return {"output": outputs[0]}, None, ""

    class GiveTensor(ResponseOp):  # type: ignore[misc]
        """Gives the output by its bytes, and which version it is of."""

        def pack_response_package(self, channeldata: Any) -> Any:
            if channeldata.error_code != 0:
                return super().pack_response_package(channeldata)
            output = np.ascontiguousarray(channeldata.parse()["output"], dtype=np.float32)
            answer = Response(err_no=0, key=["model_version"], value=[version])
            answer.tensors.add(
                name="output", elem_type=FLOAT32, shape=output.shape, byte_data=output.tobytes()
            )
            return answer

    return GiveTensor(input_ops=[RunNet(name=OP, input_ops=[TakeTensor()])])


if __name__ == "__main__":
    main(*sys.argv[1:])
