"""wrk, the load generator: as many clients as connections, each asking without a pause."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from configs.settings import SettingsError

SCRIPT = Path(__file__).with_name("load.lua")


@dataclass(frozen=True)
class Questions:
    """What a server is asked.

    Attributes:
        path: Of the URL.
        headers: Of each request.
        asks: Bodies, each with what a right answer holds.
    """

    path: str
    headers: Mapping[str, str]
    asks: Sequence[tuple[bytes, bytes]]


def find_wrk() -> str:
    """Return where wrk is.

    Raises:
        SettingsError: It is not installed.
    """
    found = shutil.which("wrk")
    if found is None:
        raise SettingsError("wrk asks, and is not installed: apt-get install wrk")
    return found


def ask(port: int, questions: Questions, *, connections: int, seconds: float) -> dict[str, Any]:
    """Ask, and return what `load.lua` counted."""
    with tempfile.TemporaryDirectory() as folder:
        asked, bodies = Path(folder) / "asks.lua", Path(folder) / "bodies"
        asked.write_bytes(_to_lua(questions))
        bodies.write_bytes(b"".join(body for body, _ in questions.asks))
        number = str(connections)
        ended = subprocess.run(
            [
                *(find_wrk(), "--threads", number, "--connections", number, "--timeout", "30s"),
                *("--duration", f"{seconds:g}s", "--script", str(SCRIPT)),
                *(f"http://127.0.0.1:{port}", "--", str(asked), str(bodies)),
            ],
            capture_output=True,
            text=True,
            check=True,
        )
    counted: dict[str, Any] = json.loads(ended.stdout.strip().splitlines()[-1])
    return counted


def _to_lua(questions: Questions) -> bytes:
    """Write all but the bodies, of which only the sizes are told.

    wrk has one thread ask while it prepares the next: a file that takes long to parse would let it
    count what was answered before its time begins.
    """
    headers = ", ".join(
        f"[{_quote(name.encode())}] = {_quote(value.encode())}"
        for name, value in questions.headers.items()
    )
    asks = ",\n".join(f"{{{len(body)}, {_quote(needle)}}}" for body, needle in questions.asks)
    path = _quote(questions.path.encode())
    return f"return {{path = {path}, headers = {{{headers}}}, asks = {{\n{asks}\n}}}}".encode()


def _quote(content: bytes) -> str:
    return '"' + "".join(f"\\{byte:03d}" for byte in content) + '"'
