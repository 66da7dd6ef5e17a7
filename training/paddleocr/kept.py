"""What of a foreign training is safe from a kill: the last whole epoch, and the best weights.

PaddleOCR writes its checkpoints in place: a kill may leave half of one. It also forgets, when it
goes on, how good the best weights were, and replaces them by the next ones.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel

from ocr.store.whole import written_whole

WEIGHTS = ".pdparams"
ALL = (WEIGHTS, ".pdopt", ".states")
FOLDER = "kept"
STATE = "state.json"


class KeptState(BaseModel):
    """Where a training stands.

    Attributes:
        epoch: Epochs done.
        step: Steps done.
        score: Of the best weights; below 0: there are none yet.
        seconds: Spent so far.
    """

    epoch: int = 0
    step: int = 0
    score: float = -1.0
    seconds: float = 0.0


class Kept:
    """The folder of what is kept, with its state."""

    def __init__(self, folder: Path) -> None:
        """Open it, as an earlier run left it."""
        self._folder = folder / FOLDER
        self._folder.mkdir(exist_ok=True)
        path = self._folder / STATE
        found = path.is_file()
        self.state = KeptState.model_validate_json(path.read_bytes()) if found else KeptState()

    @property
    def latest(self) -> Path:
        """The files of the last whole epoch, without their suffix."""
        return self._folder / f"epoch-{self.state.epoch}"

    @property
    def weights(self) -> Path:
        """The weights to use, without their suffix: the best, or the last without any."""
        return self._folder / "best" if self.state.score >= 0 else self.latest

    def keep_best(self, written: Path, *, score: float) -> None:
        """Keep weights if they are the best yet."""
        if score < self.state.score or not _copy(written, self._folder / "best", (WEIGHTS,)):
            return
        self._write(self.state.model_copy(update={"score": score}))

    def keep_epoch(self, written: Path, *, epoch: int, step: int, seconds: float) -> None:
        """Keep what the next run goes on from, and forget the epoch before."""
        before = self.latest
        after = self._folder / f"epoch-{epoch}"
        if not _copy(written, after, ALL):
            return
        update = {"epoch": epoch, "step": step, "seconds": seconds}
        self._write(self.state.model_copy(update=update))
        if before != after:
            for suffix in ALL:
                before.with_name(before.name + suffix).unlink(missing_ok=True)

    def _write(self, state: KeptState) -> None:
        with written_whole(self._folder / STATE) as stream:
            stream.write(state.model_dump_json().encode())
        self.state = state


def _copy(source: Path, target: Path, suffixes: Sequence[str]) -> bool:
    """Copy files that are there and that nobody writes to meanwhile; say whether that was so."""
    paths = [Path(f"{source}{suffix}") for suffix in suffixes]
    if not all(path.is_file() for path in paths):
        return False
    before = [_stamp(path) for path in paths]
    parts = [Path(f"{target}{suffix}.part") for suffix in suffixes]
    for path, part in zip(paths, parts, strict=True):
        shutil.copyfile(path, part)
    if [_stamp(path) for path in paths] != before:
        return False
    for part in parts:
        part.replace(part.with_suffix(""))
    return True


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size
