"""The state of a running training on disk: all or nothing, the last two kept."""

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ocr.errors import TrainingFailed
from ocr.store.whole import sync_folder
from training.loop.checkpoint import Arrays, read_arrays

FOLDER = "state"
KEPT = 2


@dataclass(frozen=True)
class TrainState:
    """All that a training needs to go on as if nothing had happened.

    Batches, augmentation and dropout are functions of seed, rank and step, so the step is the
    data position and the random state of every rank.

    Attributes:
        step: Finished steps.
        groups: Arrays by group and name: net, average, best, optimizer.
        facts: JSON values beside them.
    """

    step: int
    groups: dict[str, Arrays]
    facts: dict[str, Any]


def save_state(folder: Path, state: TrainState) -> None:
    """Write a state beside the older ones, which stay whole whatever happens.

    Raises:
        TrainingFailed: It cannot be written, say because the disk is full.
    """
    root = folder / FOLDER
    part = root / ".part"
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        _write(part, state)
        final = root / f"{state.step:09d}"
        shutil.rmtree(final, ignore_errors=True)
        part.rename(final)
        sync_folder(root)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        kept = [int(path.name) for path in _complete(root)]
        intact = f"the one of step {kept[-1]} is intact" if kept else "there is none yet"
        raise TrainingFailed(
            f"No checkpoint at step {state.step} in {root}: {error.strerror}; {intact}"
        ) from error
    for old in _complete(root)[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def load_state(folder: Path) -> TrainState | None:
    """Return the newest readable state, None when there is none."""
    for path in reversed(_complete(folder / FOLDER)):
        try:
            facts = json.loads((path / "facts.json").read_text(encoding="utf-8"))
            arrays = read_arrays(path / "arrays.npz")
        except (OSError, ValueError):  # damaged: the one before will do
            continue
        groups: dict[str, Arrays] = {}
        for key, value in arrays.items():
            group, _, name = key.partition("/")
            groups.setdefault(group, {})[name] = value
        return TrainState(step=int(path.name), groups=groups, facts=facts)
    return None


def _write(part: Path, state: TrainState) -> None:
    arrays = {
        f"{group}/{name}": value
        for group, values in state.groups.items()
        for name, value in values.items()
    }
    with (part / "arrays.npz").open("wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)
        stream.flush()
        os.fsync(stream.fileno())
    with (part / "facts.json").open("w", encoding="utf-8") as text:
        json.dump(state.facts, text)
        text.flush()
        os.fsync(text.fileno())
    sync_folder(part)


def _complete(root: Path) -> list[Path]:
    return sorted(path for path in root.glob("[0-9]*") if path.is_dir())
