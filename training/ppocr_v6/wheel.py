"""The files of PP-OCRv6's small nets, where the wheel of rapidocr has them."""

import hashlib
from importlib import metadata
from pathlib import Path
from typing import Literal

from ocr.errors import BadInput

PACKAGE = "rapidocr"
VERSION = "3.10.0"
FOLDER = "rapidocr/models"
WheelFile = Literal["PP-OCRv6_rec_small.onnx", "PP-OCRv6_det_small.onnx"]
SHA256: dict[WheelFile, str] = {
    "PP-OCRv6_rec_small.onnx": "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
    "PP-OCRv6_det_small.onnx": "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
}


def read_wheel_file(name: WheelFile) -> bytes:
    """Return the content of an ONNX file, which nothing is downloaded for.

    Raises:
        BadInput: The package is not installed, or carries another file; says what to install.
    """
    path = _find_file(name)
    content = path.read_bytes() if path is not None and path.is_file() else b""
    if hashlib.sha256(content).hexdigest() != SHA256[name]:
        raise BadInput(
            f"net: ppocr-v6-small starts from {name} of {PACKAGE} {VERSION}, and "
            f"{_name_found()} here: pip install --force-reinstall --no-deps {PACKAGE}=={VERSION}"
        )
    return content


def _find_file(name: WheelFile) -> Path | None:
    try:
        return Path(str(metadata.distribution(PACKAGE).locate_file(f"{FOLDER}/{name}")))
    except metadata.PackageNotFoundError:
        return None


def _name_found() -> str:
    try:
        return f"{PACKAGE} {metadata.version(PACKAGE)} has another or none"
    except metadata.PackageNotFoundError:
        return f"{PACKAGE} is not installed"
