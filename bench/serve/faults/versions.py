"""A store that vanishes, a version that is damaged, versions that come and go."""

import time
from typing import Final

from bench.serve.faults.target import Target, wait_until

AWAY_S: Final = 2.0


def lose_store(target: Target) -> str:
    """Move the store's folder away, and back when the gateway has noticed."""
    folder = target.served.folder
    elsewhere = folder.rename(folder.with_name("elsewhere"))
    try:
        wait_until(lambda: not target.metric("ocrline_store_up"), what="the loss is noticed")
        time.sleep(AWAY_S)
        version = target.model()["version"]
    finally:
        elsewhere.rename(folder)
    wait_until(lambda: target.metric("ocrline_store_up"), what="the store is back")
    return f"told at /metrics, {_named(target, version)} goes on"


def promote_damaged(target: Target) -> str:
    """Promote a version with another byte in the middle of its largest file, and roll back."""
    served = target.served
    damaged = served.registry.version(served.name, served.copy("damaged"))
    files = [path for path in (served.folder / damaged.key).rglob("*") if path.is_file()]
    largest = max(files, key=lambda path: path.stat().st_size)
    content = bytearray(largest.read_bytes())
    content[len(content) // 2] ^= 0xFF
    largest.write_bytes(content)
    served.registry.promote(served.name, "damaged", reason="fault")
    wait_until(lambda: target.model()["is_refused"], what="the version is refused")
    told = target.model()
    served.registry.rollback(served.name, reason="fault")
    wait_until(lambda: not target.model()["last_error"], what="the rollback is seen")
    why = "damaged" if "is damaged" in told["last_error"] else told["last_error"]
    return f"refused as {why}, {_named(target, told['version'])} goes on"


def promote_and_roll_back(target: Target) -> str:
    """Promote a version, and roll back when it has answered."""
    served = target.served
    served.registry.promote(served.name, served.second, reason="fault")
    target.wait_served(served.second)
    served.registry.rollback(served.name, reason="fault")
    target.wait_served(served.first)
    return "each served in its time"


def _named(target: Target, version: str) -> str:
    return "the champion" if version == target.served.first else version
