"""What of a foreign training is safe from a kill: its last whole epoch, and its best weights.

A kill may leave half of a checkpoint, and PaddleOCR forgets, when it goes on, how good the best
weights were. So the files of an epoch are taken from it once they are whole, with their score.
"""

from pathlib import Path

from pydantic import BaseModel

from ocr.store.whole import make_durable, written_whole

WEIGHTS = ".pdparams"
ALL = (WEIGHTS, ".pdopt", ".states")
FOLDER = "kept"
STATE = "state.json"


class KeptState(BaseModel):
    """Where a training stands.

    Attributes:
        epoch: Epochs done.
        step: Steps done.
        best: The epoch with the best weights; 0: none was validated yet.
        score: Of the best weights.
        stale: Validations since that gave no better score. While nothing is read, none counts: the
            loss falls long before the first text is read exactly.
        seconds: Spent so far.
        images: Learnt so far, of those whose speed the trainer said.
        learning_s: Seconds of learning these, validations aside.
    """

    epoch: int = 0
    step: int = 0
    best: int = 0
    score: float = -1.0
    stale: int = 0
    seconds: float = 0.0
    images: float = 0.0
    learning_s: float = 0.0


class Kept:
    """The folder of what is kept, with its state."""

    def __init__(self, folder: Path) -> None:
        """Open it, as an earlier run left it."""
        self._folder = folder / FOLDER
        self._folder.mkdir(exist_ok=True)
        for part in self._folder.glob(".*.part"):  # of a run that was killed
            part.unlink()
        path = self._folder / STATE
        found = path.is_file()
        self.state = KeptState.model_validate_json(path.read_bytes()) if found else KeptState()

    @property
    def latest(self) -> Path:
        """The files of the last whole epoch, without their suffix."""
        return self._epoch(self.state.epoch)

    @property
    def weights(self) -> Path:
        """The best weights, without their suffix."""
        return self._epoch(self.state.best)

    def keep(
        self,
        written: Path,
        *,
        epoch: int,
        step: int,
        seconds: float,
        score: float | None,
        images: float,
        learning_s: float,
    ) -> None:
        """Take the files of an epoch, and forget those that nobody needs any more.

        Args:
            written: They, without their suffix; moved, unless one is missing.
            epoch: Epochs done.
            step: Steps done.
            seconds: Spent so far.
            images: Learnt so far.
            learning_s: Seconds of learning these.
            score: What a validation at its end gave; of equal ones the later counts as the best.
        """
        files = [Path(f"{written}{suffix}") for suffix in ALL]
        if not all(file.is_file() for file in files):
            return
        for file, suffix in zip(files, ALL, strict=True):
            with file.open("rb") as content:
                make_durable(content)  # before the state, which names it, is
            file.replace(f"{self._epoch(epoch)}{suffix}")
        update: dict[str, float] = {"epoch": epoch, "step": step, "seconds": seconds}
        update |= {"images": images, "learning_s": learning_s}
        if score is not None:
            best = self.state.score
            update["stale"] = self.state.stale + 1 if score <= best and best > 0 else 0
            if score >= best:
                update |= {"best": epoch, "score": score}
        self.state = self.state.model_copy(update=update)
        with written_whole(self._folder / STATE) as stream:
            stream.write(self.state.model_dump_json().encode())
        needed = {f"{self.latest}{suffix}" for suffix in ALL} | {f"{self.weights}{WEIGHTS}"}
        for path in self._folder.glob("epoch-*"):
            if str(path) not in needed:
                path.unlink()

    def _epoch(self, number: int) -> Path:
        return self._folder / f"epoch-{number}"
