"""A trained net as a static graph on disk."""

from pathlib import Path
from typing import Any

import paddle

from ocr.preprocess import InputSpec
from training.serving_config import FEED

PARAMETERS = "inference.pdiparams"


def save_static(net: Any, spec: InputSpec, folder: Path) -> None:
    """Write inference.json (or .pdmodel under FLAGS_enable_pir_api=0) and inference.pdiparams.

    The batch is dynamic, and the width of a line. The net cannot be used as before afterwards.
    """
    width = spec.width_px if spec.layout == "fixed" else None
    x = paddle.static.InputSpec([None, 3, spec.height_px, width], "float32", FEED)
    paddle.jit.save(net, str(folder / "inference"), input_spec=[x])
    # Debug names of the parameters, pickled: nobody needs them and nobody should load them.
    (folder / f"{PARAMETERS}.info").unlink(missing_ok=True)
