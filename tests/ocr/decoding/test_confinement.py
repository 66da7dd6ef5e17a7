"""What a confined process says that it cannot do, it cannot do."""

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

TRIES = """
import json, os, socket, sys
from ocr.decoding.confinement import confine

def can(what):
    try:
        what()
    except (OSError, MemoryError):
        return False
    return True

facts = confine(memory_bytes=300 << 20)
print(json.dumps({
    "facts": facts,
    "network": can(lambda: socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)),
    "file": can(lambda: open(sys.argv[2]).read()),
    "new file": can(lambda: open(sys.argv[2] + ".new", "w")),
    "parent": can(lambda: open(f"/proc/{os.getppid()}/environ").read()),
    "little memory": can(lambda: bytearray(50 << 20)),
    "much memory": can(lambda: bytearray(400 << 20)),
}))
"""


def tried(tmp_path: Path) -> dict[str, Any]:
    secret = tmp_path / "secret"
    secret.write_text("hush")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-c", TRIES, port, str(secret)],
            capture_output=True,
            check=True,
            timeout=60,
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_confined_process_can_do_nothing_that_it_says_it_cannot(tmp_path: Path) -> None:
    found = tried(tmp_path)
    facts = found["facts"]

    assert found["network"] is not ("no network" in facts or "no TCP" in facts)
    assert found["file"] is not ("no file but fonts" in facts)
    assert found["new file"] is not ("no file but fonts" in facts)
    if "no file but fonts" in facts:
        assert not found["parent"]


def test_confined_process_has_as_much_memory_as_it_was_given(tmp_path: Path) -> None:
    found = tried(tmp_path)

    assert "at most 300 MiB" in found["facts"]
    assert found["little memory"]
    assert not found["much memory"]
