"""Has PaddleOCR's trainer learn a net of which some parts stay as they are.

    PYTHON run_tools.py PARENT keep_parts.py HOME TOOL PARTS ARGUMENT…

HOME is the source tree, TOOL a path in it, PARTS such as `backbone,neck`. Weights of these get no
gradient, and their batch norms use the mean and variance that they came with.
"""

import os
import runpy
import sys
from typing import Any


def main(home: str, tool: str, parts: str, *arguments: str) -> None:
    """Run the tool, whose net is made by a function that keeps the parts."""
    sys.path.append(home)
    from ppocr.modeling import architectures  # type: ignore[import-not-found]

    build = architectures.build_model

    def build_kept(config: dict[str, Any]) -> Any:
        net = build(config)
        for part in parts.split(","):
            keep(getattr(net, part))
        return net

    architectures.build_model = build_kept
    path = os.path.join(home, tool)  # noqa: PTH118
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(path)  # noqa: PTH120 - not this folder, with files of ours
    runpy.run_path(path, run_name="__main__")


def keep(part: Any) -> None:
    """Take a layer and all within it out of what is learnt."""
    for weights in part.parameters():
        weights.stop_gradient = True
    for layer in part.sublayers(include_self=True):
        if hasattr(layer, "_use_global_stats"):
            layer._use_global_stats = True


if __name__ == "__main__":
    main(*sys.argv[1:])
