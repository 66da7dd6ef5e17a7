"""A source tree of PaddleOCR and the interpreter that runs it: found, and digested for keys."""

import hashlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Literal

from pydantic import TypeAdapter, ValidationError

from ocr.errors import BadInput

TOOLS = ("tools/train.py", "tools/export_model.py")
CLONE = "git clone --depth 1 --branch v3.3.2 https://github.com/PaddlePaddle/PaddleOCR"
FAMILIES: dict[Literal["rec", "det"], dict[str, str]] = {
    "rec": {
        "pp-ocrv3-mobile": "configs/rec/PP-OCRv3/PP-OCRv3_mobile_rec.yml",
        "pp-ocrv4-mobile": "configs/rec/PP-OCRv4/PP-OCRv4_mobile_rec.yml",
        "pp-ocrv4-server": "configs/rec/PP-OCRv4/PP-OCRv4_server_rec.yml",
        "pp-ocrv5-mobile": "configs/rec/PP-OCRv5/PP-OCRv5_mobile_rec.yml",
        "pp-ocrv5-server": "configs/rec/PP-OCRv5/PP-OCRv5_server_rec.yml",
    },
    "det": {
        "pp-ocrv3-mobile": "configs/det/PP-OCRv3/PP-OCRv3_mobile_det.yml",
        "pp-ocrv3-server": "configs/det/PP-OCRv3/PP-OCRv3_server_det.yml",
        "pp-ocrv4-mobile": "configs/det/PP-OCRv4/PP-OCRv4_mobile_det.yml",
        "pp-ocrv4-server": "configs/det/PP-OCRv4/PP-OCRv4_server_det.yml",
        "pp-ocrv5-mobile": "configs/det/PP-OCRv5/PP-OCRv5_mobile_det.yml",
        "pp-ocrv5-server": "configs/det/PP-OCRv5/PP-OCRv5_server_det.yml",
    },
}
"""The config of each family of nets, by the folder of `configs/` that has them."""
_CODE = ("ppocr", "tools")
_FOLDERS = ("configs", *_CODE)
_KINDS = (".py", ".txt", ".yaml", ".yml")
_DESCRIBE = """
import json, platform, sys
from importlib.metadata import distributions
from importlib.util import find_spec
if find_spec("paddle") is None:
    raise SystemExit("No module named 'paddle'")
packages = {each.name.lower().replace("_", "-"): each.version for each in distributions()}
version = platform.python_version()
print(json.dumps({"version": version, "packages": packages, "folders": sys.path}))
"""
_TIMEOUT_S = 120
_MOST_SAID = 16 << 20
"""Bytes; what says more is ended."""
_POLL_S = 0.05
_SHOWN = 500
IMAGE_PYTHON = Path("/opt/paddleocr/bin/python")
"""The interpreter in our images; see `deploy/images/training/Dockerfile`."""
_IN_IMAGE = ("docker", "run", "--rm", "--pull", "never", "--network", "none", "--cap-drop", "ALL")
_NEEDED = re.compile(
    r"HOME|LANG|LANGUAGE|PATH|TMPDIR|LC_.*|LD_.*|DOCKER_(?:HOST|CONTEXT|CONFIG|CERT_PATH|TLS.*)"
)
"""All that a foreign interpreter is told of our environment, where keys of the store stand."""


@dataclass(frozen=True)
class Interpreter:
    """What an interpreter says of itself.

    Attributes:
        version: Of Python.
        packages: The versions of what is installed, by name.
        folders: Where that lies, as in sys.path.
    """

    version: str
    packages: dict[str, str]
    folders: tuple[Path, ...]

    @property
    def paddle(self) -> str:
        """The version of Paddle."""
        return self.packages.get("paddlepaddle-gpu") or self.packages.get("paddlepaddle", "")

    def named(self) -> str:
        """Return Python and all packages with their versions."""
        packages = (f"{name} {self.packages[name]}" for name in sorted(self.packages))
        return ", ".join((f"python {self.version}", *packages))


@dataclass(frozen=True)
class SourceTree:
    """What runs PaddleOCR's tools.

    Attributes:
        home: Its source tree.
        python: The interpreter with what the tree imports.
        tree: SHA-256 of the tree's code and of the one config that is learnt by; the commit alone
            would miss what was changed.
        packages: SHA-256 of the interpreter's version, its packages and theirs.
        interpreter: What the interpreter says of itself.
    """

    home: Path
    python: Path
    tree: str
    packages: str
    interpreter: Interpreter


def find_source_tree(home: str, python: Path, *, config: str = "", image: str = "") -> SourceTree:
    """Find both, or say the one command that brings what is missing.

    Args:
        home: Folder of the source tree; empty: none is named.
        python: The interpreter.
        config: The net's file, as `find_config` gives it; empty: code alone is digested.
        image: The container image that has it; empty: it is here.

    Raises:
        BadInput: The tree or the interpreter is missing, or is something else.
    """
    folder = find_home(home)
    interpreter = _describe(python, image)
    return SourceTree(
        home=folder,
        python=python,
        tree=_digest_tree(folder, config),
        packages=hashlib.sha256(interpreter.named().encode()).hexdigest(),
        interpreter=interpreter,
    )


def find_home(home: str) -> Path:
    """Return the folder of the source tree.

    Raises:
        BadInput: It is missing, or no source tree of PaddleOCR.
    """
    if not home or "\0" in home:
        raise BadInput(f"PADDLEOCR_HOME names no source tree of PaddleOCR; get one: {CLONE}")
    try:
        folder = Path(home).resolve()
        missing = [tool for tool in TOOLS if not (folder / tool).is_file()]
        missing += [each for each in _FOLDERS if not (folder / each).is_dir()]
    except (OSError, RuntimeError) as error:  # a name too long, a link to itself
        raise BadInput(f"PADDLEOCR_HOME={home}: {error}; get the tree: {CLONE}") from None
    if missing:
        raise BadInput(f"PADDLEOCR_HOME={home} has no {missing[0]}; get the tree: {CLONE}")
    return folder


def find_config(home: Path, net: str, kind: Literal["rec", "det"]) -> str:
    """Return the file of a net or of a family, relative to the tree.

    Raises:
        BadInput: There is none, or it is no YAML file of the tree's `configs/`.
    """
    families = FAMILIES[kind]
    name = families.get(net, net)
    try:
        path = (home / name).resolve()
    except RuntimeError:
        raise BadInput(f"training.net: {net} is a link to itself") from None
    if path.suffix not in (".yml", ".yaml") or not path.is_relative_to(home.resolve() / "configs"):
        raise BadInput(
            f"training.net: {net!r} is not allowed; expected one of {', '.join(families)}, or "
            f"configs/{kind}/NAME.yml, a file of PaddleOCR's tree"
        )
    if not path.is_file():
        raise BadInput(f"training.net: PaddleOCR's tree has no {name}; is it of another version?")
    return name


def _describe(python: Path, image: str) -> Interpreter:
    advice = "make it: make paddleocr-runtime; or name another by OCRLINE_PADDLEOCR_PYTHON"
    if image:
        advice = f"resources.image: {image} is to be built for PaddleOCR: make image"
    elif not python.is_file():
        raise BadInput(f"There is no interpreter {python} for PaddleOCR's tools; {advice}")
    try:
        status, out, errors = _ask(*(*_IN_IMAGE, image) * bool(image), str(python))
    except subprocess.TimeoutExpired:
        raise BadInput(f"{python} gave no answer within {_TIMEOUT_S} s; {advice}") from None
    except OSError as error:
        raise BadInput(f"{python} cannot be started: {error}; {advice}") from error
    if status != 0:
        reason = (errors.strip("\0 \n")[-_SHOWN:].splitlines() or ["it said nothing"])[-1]
        raise BadInput(f"{python} has no Paddle: {reason}; {advice}")
    try:
        said = out.strip().splitlines() or [""]  # a site of its own may have said more
        return TypeAdapter(Interpreter).validate_json(said[-1])
    except ValidationError:
        raise BadInput(f"{python} is no Python: it lists no packages; {advice}") from None


def _ask(*python: str) -> tuple[int, str, str]:
    """Return an interpreter's status and what it said to both ends; it may be a script of a user.

    Nothing of its session is left, however it ends.

    Raises:
        TimeoutExpired: It hung.
    """
    with TemporaryFile() as out, TemporaryFile() as errors:
        with subprocess.Popen(
            [*python, "-I", "-c", _DESCRIBE],
            env={key: value for key, value in os.environ.items() if _NEEDED.fullmatch(key)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
            start_new_session=True,
        ) as process:
            try:
                _wait(process, out, errors)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        return process.returncode, _read_text(out), _read_text(errors)


def _wait(process: "subprocess.Popen[bytes]", *said: IO[bytes]) -> None:
    """Wait for the end of a process, but not of one that floods its files.

    Raises:
        TimeoutExpired: It hung.
    """
    until = time.monotonic() + _TIMEOUT_S
    while all(os.fstat(file.fileno()).st_size <= _MOST_SAID for file in said):
        try:
            process.wait(_POLL_S)
        except subprocess.TimeoutExpired:
            if time.monotonic() > until:
                raise
        else:
            return


def _read_text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(_MOST_SAID).decode("utf-8", errors="replace")


def is_digested(home: Path, path: Path) -> bool:
    """Say whether the digest of a tree's code has a file of that path, if there is one."""
    return path.suffix in _KINDS and any(path.is_relative_to(home / each) for each in _CODE)


def _digest_tree(home: Path, config: str) -> str:
    digest = hashlib.sha256()
    paths = [path for folder in _CODE for path in _files(home / folder, above=())]
    for path in (*paths, *[home / config] * bool(config)):
        try:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as error:
            raise _unreadable(path, error) from error
        digest.update(os.fsencode(path.relative_to(home)) + f" {content}\n".encode())
    return digest.hexdigest()


def _files(folder: Path, *, above: tuple[Path, ...]) -> Iterator[Path]:
    """Yield the files that decide, also of linked folders, but of none within itself."""
    place = folder.resolve()
    if place in above:
        return
    try:
        children = sorted(folder.iterdir())
    except OSError as error:
        raise _unreadable(folder, error) from error
    for path in children:
        if path.is_dir():
            yield from _files(path, above=(*above, place))
        elif path.suffix in _KINDS and path.is_file():  # a pipe of that name would wait for ever
            yield path


def _unreadable(path: Path, error: OSError) -> BadInput:
    return BadInput(
        f"PADDLEOCR_HOME: {path}: {error.strerror}; let this user read it, let nobody change the "
        f"tree meanwhile, or get another: {CLONE}"
    )
