"""Connectionist temporal classification: frames to text, and text to frames."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadInput

BLANK = 0


@dataclass(frozen=True)
class Recognition:
    """One recognised text.

    Attributes:
        text: What it reads.
        confidence: Mean of its characters'.
        character_confidences: Probability of each; none where the reader tells none.
        character_places: Middle of each, as a share of the image's width; the same.
        is_reread: Whether the second recogniser of a cascade read it.
    """

    text: str
    confidence: float
    character_confidences: tuple[float, ...]
    character_places: tuple[float, ...] = ()
    is_reread: bool = False

    @property
    def least_confidence(self) -> float:
        """The confidence of its least sure character; 0 without text."""
        return min(self.character_confidences, default=0.0)


def decode(
    probabilities: NDArray[np.floating], characters: Sequence[str], *, image_frames: float = 0.0
) -> Recognition:
    """Read the best class of every frame, merge repeats, drop blanks.

    The confidence is PaddleOCR's: the mean probability of the frames that are kept; 0 without text.

    Args:
        probabilities: (T, C); class 0 is the blank, class i characters[i - 1].
        characters: The charset, C - 1 characters.
        image_frames: So many frames are the image wide; 0: where characters are is not told.
    """
    classes, begins, ends = _runs(probabilities.argmax(axis=1).tolist())
    confidences = probabilities[begins, classes]
    return Recognition(
        text="".join(characters[index - 1] for index in classes),
        confidence=float(confidences.mean()) if classes else 0.0,
        character_confidences=tuple(confidences.tolist()),
        character_places=tuple(
            (begin + end) / 2 / image_frames for begin, end in zip(begins, ends, strict=True)
        )
        if image_frames
        else (),
    )


def _runs(best: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """Return class, first frame and the frame after the last of every run that is no blank.

    A loop: a line has some dozens of frames, which numpy's calls take twice as long for.
    """
    classes: list[int] = []
    begins: list[int] = []
    ends: list[int] = []
    before = BLANK
    for frame, index in enumerate(best):
        if index == before:
            continue
        if before != BLANK:
            ends.append(frame)
        if index != BLANK:
            classes.append(index)
            begins.append(frame)
        before = index
    if before != BLANK:
        ends.append(len(best))
    return classes, begins, ends


def align(log_probabilities: NDArray[np.floating], labels: Sequence[int]) -> NDArray[np.int64]:
    """Find the frame of each character on the most probable path that reads `labels` (Viterbi).

    Args:
        log_probabilities: (T, C), class 0 the blank.
        labels: Classes of the L characters, each from 1.

    Returns:
        (L,) increasing frames, each the middle of its character's run.

    Raises:
        BadInput: T frames cannot hold the characters and the blanks between equal ones.
    """
    classes = np.asarray(labels, dtype=np.int64)
    repeats = int((classes[1:] == classes[:-1]).sum())
    if len(log_probabilities) < len(classes) + repeats:
        raise BadInput(
            f"{len(log_probabilities)} frames cannot hold {len(classes)} characters "
            f"with {repeats} repeats"
        )
    if not len(classes):
        return classes
    states = _to_states(classes)
    path = _best_path(log_probabilities[:, states].astype(np.float64), states)
    first = np.searchsorted(path, np.arange(1, len(states), 2), side="left")
    last = np.searchsorted(path, np.arange(1, len(states), 2), side="right") - 1
    return (first + last) // 2


def log_likelihood(log_probabilities: NDArray[np.floating], labels: Sequence[int]) -> float:
    """Return how probable it is that frames read `labels`, along whatever path; in nats.

    Graves et al., "Connectionist Temporal Classification", 2006, section 4.1.

    Args:
        log_probabilities: (T, C), class 0 the blank; T ≥ 1.
        labels: Classes of the characters, each from 1.

    Returns:
        At most 0; minus infinity where the frames cannot hold the characters.
    """
    states = _to_states(np.asarray(labels, dtype=np.int64))
    emissions, skips = log_probabilities[:, states].astype(np.float64), _may_be_skipped(states)
    score = np.full(len(states), -np.inf)
    score[:2] = emissions[0, :2]
    for emission in emissions[1:]:
        moves = np.full((3, len(states)), -np.inf)
        moves[0] = score
        moves[1, 1:] = score[:-1]
        moves[2, 2:] = np.where(skips[2:], score[:-2], -np.inf)
        score = np.logaddexp.reduce(moves, axis=0) + emission
    return float(np.logaddexp.reduce(score[-2:]))


def _to_states(classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Put blanks around L characters; (2L + 1,)."""
    states = np.zeros(2 * len(classes) + 1, dtype=np.int64)
    states[1::2] = classes
    return states


def _may_be_skipped(states: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell of each state whether a path may come from the one before the last; (S,)."""
    skips = np.zeros(len(states), dtype=bool)
    # A blank may be skipped, but not the one between equal characters.
    skips[2:] = (states[2:] != BLANK) & (states[2:] != states[:-2])
    return skips


def _best_path(emissions: NDArray[np.float64], states: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the state of each frame: non-decreasing, every character visited.

    Args:
        emissions: (T, S) log-probability of each state in each frame.
        states: (S,) classes, blanks at even places.
    """
    frames, count = emissions.shape
    skips = _may_be_skipped(states)
    steps = np.zeros((frames, count), dtype=np.int64)
    score = np.full(count, -np.inf)
    score[:2] = emissions[0, :2]
    for frame in range(1, frames):
        moves = np.full((3, count), -np.inf)
        moves[0] = score
        moves[1, 1:] = score[:-1]
        moves[2, 2:] = np.where(skips[2:], score[:-2], -np.inf)
        steps[frame] = moves.argmax(axis=0)
        score = moves.max(axis=0) + emissions[frame]
    path = np.empty(frames, dtype=np.int64)
    path[-1] = count - 1 if score[-1] >= score[-2] else count - 2
    for frame in range(frames - 1, 0, -1):
        path[frame - 1] = path[frame] - steps[frame, path[frame]]
    return path
