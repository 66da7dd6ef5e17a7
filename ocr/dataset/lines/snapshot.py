"""A snapshot of lines."""

from dataclasses import dataclass
from pathlib import Path

from ocr.dataset.snapshot.snapshot import ReadShard, Sample, Snapshot, open_snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSample(Sample):
    """One accepted line and what it reads."""

    text: str


LineSnapshot = Snapshot[LineSample]


def open_line_snapshot(folder: Path, read: ReadShard | None = None) -> LineSnapshot:
    """Open a snapshot of lines; arguments and errors are those of `open_snapshot`."""
    return open_snapshot(folder, task="recognition", to_sample=LineSample, read=read)
