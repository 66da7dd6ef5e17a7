"""Finds what of a file of weights a net takes, and writes that as a file of its own.

    PYTHON fit_tool.py HOME CONFIG WEIGHTS TARGET REPORT [CHARACTERS]

CHARACTERS is JSON: those of the weights' classes from 1 on, if they have as many; class 0 is the
blank.

It imports nothing of ours: it belongs to PaddleOCR's runtime. A .pdparams is a pickle, which may
run anything when it is read; this reads arrays and nothing else.
"""

import contextlib
import json
import pickle
import re
import sys
from typing import Any, BinaryIO

PLAIN = {
    ("_codecs", "encode"),
    ("collections", "OrderedDict"),
    ("numpy", "dtype"),
}
"""All that a dictionary of arrays is made of, beside the arrays."""


CTC = re.compile(r"^(\w+\.)?head\.(ctc_head\.)?fc2?\.(weight|bias)$")
SECOND = re.compile(r"^(\w+\.)?head\.(gtc|sar)_head\.")
STUDENT = "Student"
"""Of a distillation's nets the one that is kept, and so what weights of one net are for."""
SPECIALS = 4
"""Classes beside the characters: a CTC head has one, a second head more."""


class ArrayReader(pickle.Unpickler):
    """Reads arrays, and refuses all else."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what arrays are made of."""
        if name == "_reconstruct" and module in ("numpy.core.multiarray", "numpy._core.multiarray"):
            return empty_array
        if (module, name) == ("numpy", "ndarray"):
            return None  # called with a shape, it would take any amount of memory
        if (module, name) not in PLAIN:
            raise pickle.UnpicklingError(f"it holds {module}.{name}, expected arrays only")
        return super().find_class(module, name)

    def persistent_load(self, pid: Any) -> Any:  # noqa: ARG002 - as pickle calls it
        """Refuse what begins as a zip does, such as weights of PyTorch."""
        raise pickle.UnpicklingError("it is none of Paddle's, a zip perhaps")


def empty_array(_kind: Any, shape: tuple[int, ...], code: Any) -> Any:
    """Return an array that the pickle fills with its own bytes."""
    import numpy as np

    if shape != (0,):
        raise pickle.UnpicklingError(f"it holds an array of shape {shape} without numbers")
    return np.ndarray(shape, code)


def read_arrays(file: BinaryIO) -> dict[str, Any]:
    """Return the arrays of real numbers by name.

    Raises:
        UnpicklingError: The file holds something else, or no numbers where numbers should be.
    """
    import numpy as np

    try:
        found = ArrayReader(file, encoding="latin1").load()
    except pickle.UnpicklingError:
        raise
    except Exception as error:  # noqa: BLE001 - a damaged pickle raises whatever it comes to
        raise pickle.UnpicklingError(f"it is damaged: {error}") from None
    if not isinstance(found, dict):
        raise pickle.UnpicklingError(f"it holds a {type(found).__name__}, expected names of arrays")
    arrays = {str(name): one for name, one in found.items() if isinstance(one, np.ndarray)}
    real = {name: one for name, one in arrays.items() if one.dtype in ("f2", "f4", "f8")}
    for name, one in real.items():
        if not np.isfinite(one).all():
            raise pickle.UnpicklingError(
                f"of {name} some numbers are infinite or none at all (NaN)"
            )
    return real


def knows(arrays: dict[str, Any], known: list[str]) -> bool:
    """Say whether arrays have a class for each of so many characters, and for the blank."""
    classes = (len(known) + 1,)
    return any(CTC.match(name) and array.shape[-1:] == classes for name, array in arrays.items())


def fit_characters(arrays: dict[str, Any], known: list[str], wanted: list[str]) -> dict[str, Any]:
    """Return the arrays for other characters; what cannot be told apart by character is left out.

    Args:
        arrays: Of a net that knows the first characters.
        known: They, in their order.
        wanted: Those of the net that is to start. One that is new gets the mean of all.
    """
    import numpy as np

    if known == wanted:
        return arrays
    fitted: dict[str, Any] = {}
    places = {character: place for place, character in enumerate(known, start=1)}
    classes = len(known) + 1
    for name, array in arrays.items():
        if CTC.match(name) and array.shape[-1:] == (classes,):
            mean = array[..., 1:].mean(axis=-1)
            columns = [array[..., places[c]] if c in places else mean for c in wanted]
            fitted[name] = np.stack([array[..., 0], *columns], axis=-1)
        elif not SECOND.match(name) or not any(
            classes <= size < classes + SPECIALS for size in array.shape
        ):
            fitted[name] = array
    return fitted


def read_lines(path: str) -> list[str]:
    """Return the lines of a dictionary as PaddleOCR reads them."""
    with open(path, "rb") as file:  # noqa: PTH123
        return [line.decode("utf-8").strip("\r\n") for line in file.readlines()]


def main(
    home: str, config: str, weights: str, target: str, report: str, characters: str = ""
) -> None:
    """Compare the weights with the net of a config."""
    try:
        with open(weights, "rb") as file:  # noqa: PTH123 - as plain as can be over there
            arrays = read_arrays(file)
    except pickle.UnpicklingError as error:
        return _write(report, {"refused": str(error)})
    sys.path.insert(0, home)
    import paddle
    import yaml
    from ppocr.utils import export_model  # type: ignore[import-not-found]

    net: dict[str, list[int]] = {}

    def note(_config: Any, model: Any, **_: Any) -> None:
        net.update({name: list(value.shape) for name, value in model.state_dict().items()})
        raise StopIteration

    export_model.load_model = note  # called with the net as it is built, before all else
    with open(config, encoding="utf-8") as text:  # noqa: PTH123
        settings = yaml.safe_load(text)
    nets = settings["Architecture"].get("Models") or {}  # building them takes words of theirs away
    taught_by = tuple(f"{name}." for name, one in nets.items() if one.get("freeze_params"))
    with contextlib.suppress(StopIteration):
        export_model.export(settings)
    net = {name: shape for name, shape in net.items() if not name.startswith(taught_by)}
    if not net:
        raise SystemExit("PaddleOCR's exporter no longer builds its net as it did")
    known: list[str] = []
    wanted: list[str] = []
    if characters:
        with open(characters, encoding="utf-8") as text:  # noqa: PTH123
            known = json.load(text)
    is_known = bool(known) and knows(arrays, known)
    if is_known:
        wanted = read_lines(settings["Global"]["character_dict_path"])
    unfitted, arrays = arrays, fit_characters(arrays, known, wanted) if is_known else arrays
    arrays = arrays | {f"{STUDENT}.{name}": array for name, array in arrays.items()}
    fits = [name for name in net if name in arrays and list(arrays[name].shape) == net[name]]
    paddle.save({name: paddle.to_tensor(arrays[name]) for name in fits}, target)
    return _write(
        report,
        {
            "fits": fits,
            "new": [name for name in net if name not in fits],
            "unused": [name for name in unfitted if not {name, f"{STUDENT}.{name}"} & {*fits}],
            "by_character": is_known,
            "characters": [character for character in wanted if character not in known],
            "lost": [character for character in known if character not in wanted] * is_known,
        },
    )


def _write(path: str, content: dict[str, Any]) -> None:
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump(content, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
