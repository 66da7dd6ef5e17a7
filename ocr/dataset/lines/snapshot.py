"""A snapshot of lines."""

from dataclasses import dataclass
from pathlib import Path

from ocr.dataset.snapshot.snapshot import Sample, Snapshot, open_snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSample(Sample):
    """One accepted line and what it reads."""

    text: str


LineSnapshot = Snapshot[LineSample]


def open_line_snapshot(folder: Path) -> LineSnapshot:
    """Open a local copy of a snapshot of lines; raises as `open_snapshot` does."""
    return open_snapshot(folder, task="recognition", to_sample=LineSample)
