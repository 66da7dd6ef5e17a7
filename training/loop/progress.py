"""metrics.jsonl: one JSON object per event, for people who watch."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NAME = "metrics.jsonl"
NAMED = 3
RESUMED = "resumed"
"""The event of a training that goes on after its step; a log has that of the last time."""


class MetricsLog:
    """Appends events; after a resume it holds no step twice."""

    def __init__(self, folder: Path | None, *, done: int = 0) -> None:
        """Open the log of a job folder, without the events after the step `done`.

        Args:
            folder: The job's folder; None writes nothing, as for all ranks but the first.
            done: Finished steps.
        """
        self._path = folder / NAME if folder else None
        if self._path:
            _truncate(self._path, done=done)
            if done:
                self.write(RESUMED, step=done)

    def write(self, event: str, *, step: int, **values: float | int | str) -> None:
        """Append one event."""
        if self._path:
            _append(self._path, {"event": event, "step": step, **values})


def note(folder: Path, message: str) -> None:
    """Tell whoever watches a job something before its first step, once however often it starts."""
    path, event = folder / NAME, {"event": "notice", "step": 0, "message": message}
    if event not in read_events(path):
        _drop_cut_off(path)
        _append(path, event)


def some(names: Sequence[str]) -> str:
    """Name the first of several in a message, and say how many more there are."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return (", ".join(names[:NAMED]) or "nothing") + more


def quoted(characters: Sequence[str]) -> str:
    """Name characters as `some` does, each quoted."""
    return some([repr(each) for each in characters])


def read_events(path: Path) -> list[dict[str, Any]]:
    """Return the events of a log, without one at the end that was cut off."""
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines[:-1]]


def _append(path: Path, event: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(event, ensure_ascii=False) + "\n")


def _drop_cut_off(path: Path) -> None:
    """Take away half an event at the end, as a power cut or a full disk leaves it."""
    content = path.read_bytes() if path.is_file() else b""
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(path, whole)


def _truncate(path: Path, *, done: int) -> None:
    events = read_events(path)
    kept = [each for each in events if each["step"] <= done and each["event"] != RESUMED]
    part = path.with_suffix(".part")
    text = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in kept)
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)  # noqa: PTH105
