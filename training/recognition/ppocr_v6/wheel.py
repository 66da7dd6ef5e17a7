"""The file of PP-OCRv6's small recogniser, where the wheel of rapidocr has it."""

import hashlib
from importlib import metadata
from pathlib import Path

from ocr.errors import BadInput

PACKAGE = "rapidocr"
VERSION = "3.10.0"
FILE = "rapidocr/models/PP-OCRv6_rec_small.onnx"
SHA256 = "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884"


def read_wheel_file() -> bytes:
    """Return the content of the ONNX file, which nothing is downloaded for.

    Raises:
        BadInput: The package is not installed, or carries another file; says what to install.
    """
    path = _find_file()
    content = path.read_bytes() if path is not None and path.is_file() else b""
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise BadInput(
            f"net: ppocr-v6-small starts from {Path(FILE).name} of {PACKAGE} {VERSION}, and "
            f"{_name_found()} here: pip install --force-reinstall --no-deps {PACKAGE}=={VERSION}"
        )
    return content


def _find_file() -> Path | None:
    try:
        return Path(str(metadata.distribution(PACKAGE).locate_file(FILE)))
    except metadata.PackageNotFoundError:
        return None


def _name_found() -> str:
    try:
        return f"{PACKAGE} {metadata.version(PACKAGE)} has another or none"
    except metadata.PackageNotFoundError:
        return f"{PACKAGE} is not installed"
