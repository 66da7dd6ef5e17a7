"""Paddle Serving 0.9's own server over a recogniser, for its Python: NAME.py BUNDLE PORT SETTINGS.

What its users write: an op that decodes the image, fits it, and decodes what the net gives. It
listens on every address, for it cannot do otherwise: let it run where there is only loopback.

SETTINGS are `paddleocr`, as its deploy/pdserving/config.yml has them but for the profile, which
costs time, or `fastest`, the best of those that we tried: threads, one predictor, oneDNN, no log.
"""

import base64
import json
import logging
import math
import os
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from paddle_serving_server.web_service import Op, WebService

LONGEST_PX = 3200
PADDLEOCR: dict[str, Any] = {
    "worker_num": 10,
    "dag": {"is_thread_op": False, "retry": 10},
    "concurrency": 4,
    "predictor": {},
}
FASTEST: dict[str, Any] = {
    "worker_num": 64,
    "dag": {"is_thread_op": True},
    "concurrency": 1,
    "predictor": {"thread_num": 1, "use_mkldnn": True, "mkldnn_cache_capacity": 64},
}


class Recogniser(Op):  # type: ignore[misc]
    """Reads one line."""

    def init_op(self) -> None:
        """Read what the bundle says."""
        bundle = Path(sys.argv[1])
        self.spec = json.loads((bundle / "manifest.json").read_text("utf-8"))["input"]
        characters = (bundle / "charset.txt").read_text("utf-8").rstrip("\n").split("\n")
        self.characters = ["", *characters]

    def preprocess(self, input_dicts: Any, *_: Any) -> Any:
        """Decode and fit an image."""
        ((_, asked),) = input_dicts.items()
        image = cv2.imdecode(np.frombuffer(base64.b64decode(asked["image"]), np.uint8), 1)
        batch, asked["frames"] = self.fit(image)
        return {"x": batch}, False, None, ""

    def fit(self, image: Any) -> Any:
        """Fit an image as `ocr.reading.recognition.line_input` does; return its frames too."""
        spec = self.spec
        height, width = image.shape[:2]
        wide = spec["width_px"]
        if spec["layout"] != "fixed":
            wide = min(math.ceil(spec["height_px"] * width / height), LONGEST_PX)
        seen = spec["width_px"] if spec["padding"] == "seen" else 0
        multiple = spec["width_multiple_px"]
        full = -(-max(wide, seen) // multiple) * multiple
        batch = np.zeros((1, 3, spec["height_px"], full), np.float32)
        fitted = cv2.resize(image, (wide, spec["height_px"]))
        batch[0, :, :, :wide] = fitted.transpose(2, 0, 1) / np.float32(127.5) - 1
        return batch, -(-(full if seen else wide) // spec["frame_px"])

    def postprocess(self, input_dicts: Any, fetched: Any, *_: Any) -> Any:
        """Decode what the net gives."""
        ((_, asked),) = input_dicts.items()
        best = fetched["probabilities"][0][: asked["frames"]].argmax(1)
        kept = best != 0
        kept[1:] &= best[1:] != best[:-1]
        return {"text": "".join(self.characters[index] for index in best[kept])}, None, ""


class Service(WebService):  # type: ignore[misc]
    """One op."""

    def get_pipeline_response(self, read_op: Any) -> Any:
        """Return the op."""
        return Recogniser(name="rec", input_ops=[read_op])


def main() -> None:
    """Serve."""
    bundle, port = os.path.realpath(sys.argv[1]), int(sys.argv[2])
    settings = PADDLEOCR
    if sys.argv[3] == "fastest":
        settings = FASTEST
        logging.getLogger().setLevel(logging.ERROR)  # else 20 lines a request
    cv2.setNumThreads(1)
    local = {
        "client_type": "local_predictor",
        "model_config": f"{bundle}/serving",
        "device_type": 0,
        "devices": "",
        "fetch_list": ["probabilities"],
        "ir_optim": True,
        **settings["predictor"],
    }
    op = {"concurrency": settings["concurrency"], "local_service_conf": local}
    service = Service(name="ocr")
    service.prepare_pipeline_config(
        yml_dict={
            "rpc_port": port + 1,
            "http_port": port,
            "worker_num": settings["worker_num"],
            "build_dag_each_worker": False,
            "dag": settings["dag"],
            "op": {"rec": op},
        }
    )
    service.run_service()


if __name__ == "__main__":
    main()
