"""Lets Paddle export nets that repeat pixels as operators that every form knows.

Run in PaddleOCR's interpreter before the tool that exports (`run_tools`). Nearest interpolation, of
which DB's nets are full, runs in neither oneDNN nor paddle2onnx (Paddle 3.3). Where it repeats each
pixel a whole number of times, so do copies of a channel that are shuffled into its pixels.
"""

from typing import Any

import paddle
import paddle.nn.functional as F

FACTORS = range(2, 33)


def main() -> None:
    """Replace the function where Paddle's own layers and functions find it."""
    given = F.interpolate

    @paddle.jit.not_to_static  # type: ignore[untyped-decorator]
    def interpolate(
        x: Any, size: Any = None, scale_factor: Any = None, *args: Any, **more: Any
    ) -> Any:
        mode = args[0] if args else more.get("mode", "nearest")
        if size is None and scale_factor in FACTORS and mode == "nearest" and len(x.shape) == 4:
            return repeat_pixels(x, int(scale_factor))
        return given(x, size, scale_factor, *args, **more)

    F.interpolate = F.common.interpolate = interpolate


def repeat_pixels(x: Any, times: int) -> Any:
    """Turn (N, C, H, W) into (N, C, H * times, W * times)."""
    copies = paddle.concat([x.unsqueeze(2)] * times**2, axis=2)
    return F.pixel_shuffle(copies.flatten(1, 2), times)


if __name__ == "__main__":
    main()
