"""Takes the weights of a net out of a file of PaddleOCR's trainer, as float32.

    PYTHON run_tools.py PARENT take_weights.py SOURCE TARGET [NET]

Mixed precision of level O2 saves weights of 16 bits. NET names one of the nets of a distillation,
whose parameters all begin with their net; without it the file is of one net.
"""

import sys


def main(source: str, target: str, net: str = "") -> None:
    """Write the weights of the net."""
    import paddle

    prefix = f"{net}." if net else ""
    found = paddle.load(source)
    taken = {
        name.removeprefix(prefix): one.astype("float32") if one.dtype in _short() else one
        for name, one in found.items()
        if name.startswith(prefix)
    }
    if not taken:
        raise SystemExit(f"{source} has no weights of {net}: {', '.join(list(found)[:3])}, …")
    paddle.save(taken, target)


def _short() -> tuple[object, ...]:
    import paddle

    return paddle.float16, paddle.bfloat16


if __name__ == "__main__":
    main(*sys.argv[1:])
