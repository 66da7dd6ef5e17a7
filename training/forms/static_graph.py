"""A trained net as a static graph on disk."""

from pathlib import Path
from typing import Any

import paddle

from training.forms.serving_config import FEED

PARAMETERS = "inference.pdiparams"

InputShape = tuple[int | None, int, int | None, int | None]
"""(N, C, H, W) of what a net takes; None is any."""


def save_static(net: Any, shape: InputShape, folder: Path) -> None:
    """Write inference.json (or .pdmodel under FLAGS_enable_pir_api=0) and inference.pdiparams.

    The net is unusable afterwards.
    """
    x = paddle.static.InputSpec(list(shape), "float32", FEED)
    paddle.jit.save(net, str(folder / "inference"), input_spec=[x])
    # Debug names of the parameters, pickled: nobody needs them and nobody should load them.
    (folder / f"{PARAMETERS}.info").unlink(missing_ok=True)
