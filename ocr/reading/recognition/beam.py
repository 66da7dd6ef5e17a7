"""CTC prefix beam search with a text model, over the frames of a line that leave a doubt.

Most frames leave none. Between them the text is what the net reads; where the search ends up
with one hypothesis it is over, so that it costs what the doubtful places of a line cost.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocr.reading.recognition.ctc import BLANK
from ocr.reading.recognition.text_states import TextStates

LEAST_PROBABILITY = 1e-2
"""Classes that are less probable in a frame are not considered there."""
WIDTH = 8
"""Hypotheses that are followed at once."""

MOST_CHOICES = 512
"""Of the doubtful frames of a line together. A line of text has some four, one in a thousand has
170; noise has thousands, and would take the search longer than the net took."""

Beams = dict[str, tuple[float, float, int]]
"""By text (a character a class; the first is the one before): its probability with a blank last,
and with its last character last, both times the text model's factors; and the model's state."""

Choice = tuple[int, str, float]
"""A class that a frame may have, as a character, and its probability."""


@dataclass(frozen=True)
class Frames:
    """What the net says of the frames of one line.

    Attributes:
        best: (T,) most probable class of each.
        kept: (T,) whether it begins a character, when read greedily.
        choices: Of each doubtful frame, the classes it may have.
        steps: The frames that are more than a repetition of a sure one.
    """

    best: list[int]
    kept: NDArray[np.bool_]
    choices: dict[int, list[Choice]]
    steps: list[int]

    def greedy(self, start: int, end: int) -> list[int]:
        """Return the classes of the characters that begin in frames of no doubt."""
        return [self.best[t] for t in range(start, end) if self.kept[t]]


def search(
    probabilities: NDArray[np.floating],
    states: TextStates,
    *,
    least_probability: float = LEAST_PROBABILITY,
    width: int = WIDTH,
) -> list[int]:
    """Find the text of the largest probability times what the text model makes of it.

    Args:
        probabilities: (T, C); class 0 is the blank.
        states: The text model's.
        least_probability: Classes below it count as impossible, but for the best of a frame.
        width: Hypotheses followed at once; the search is exact when they are enough.

    Returns:
        The classes of the characters, each from 1; of noise, those of the best of each frame.
    """
    frames = _look_at(probabilities, least_probability)
    if sum(map(len, frames.choices.values())) > MOST_CHOICES:
        return frames.greedy(0, len(frames.best))
    found: list[int] = []
    end = 0
    for doubt in frames.choices:
        if doubt >= end:
            found += frames.greedy(end, doubt)
            text, end = _settle(doubt, found, frames, states, width)
            found += [ord(character) for character in text]
    return found + frames.greedy(end, len(frames.best))


def _look_at(probabilities: NDArray[np.floating], least_probability: float) -> Frames:
    best = probabilities.argmax(axis=1)
    unsure = np.flatnonzero(probabilities.max(axis=1) <= 1 - least_probability)
    likely = probabilities[unsure] >= least_probability
    several = likely.sum(axis=1) > 1
    unsure, likely = unsure[several], likely[several]
    edges = _find_edges(best, unsure, likely)
    best[unsure[edges]] = _characters(likely[edges])
    unsure, likely = unsure[~edges], likely[~edges]
    sure = np.ones(len(best), dtype=bool)
    sure[unsure] = False
    repeated = np.zeros(len(best), dtype=bool)
    repeated[1:] = sure[1:] & sure[:-1] & (best[1:] == best[:-1])
    choices: dict[int, list[Choice]] = {t: [] for t in unsure.tolist()}
    rows, classes = np.nonzero(likely)
    values = probabilities[unsure[rows], classes].tolist()
    for t, k, value in zip(unsure[rows].tolist(), classes.tolist(), values, strict=True):
        choices[t].append((k, chr(k), value))
    return Frames(best.tolist(), keep_frames(best), choices, np.flatnonzero(~repeated).tolist())


def keep_frames(best: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Tell of the best class of each frame whether it begins a character."""
    kept: NDArray[np.bool_] = best != BLANK
    kept[1:] &= best[1:] != best[:-1]
    return kept


def _find_edges(
    best: NDArray[np.int64], unsure: NDArray[np.int64], likely: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell of doubtful frames which only leave open where a character ends, or begins.

    Such a frame is of a character or blank, between two sure ones of which just one is of that
    character: all texts go on the same, whichever it is. Most doubts are of this kind.

    Args:
        best: (T,) most probable class of each frame.
        unsure: (D,) the doubtful frames.
        likely: (D, C) what each of them may be.
    """
    around = np.full(len(best) + 2, BLANK)
    around[1:-1] = best
    around[unsure + 1] = -1
    character = _characters(likely)
    before, after = around[unsure], around[unsure + 2]
    found: NDArray[np.bool_] = likely[:, BLANK] & (likely.sum(axis=1) == 2)
    found &= (before >= 0) & (after >= 0) & ((before == character) != (after == character))
    return found


def _characters(likely: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the first class but the blank that each frame may be; (D,)."""
    return np.asarray(likely[:, 1:].argmax(axis=1) + 1)


def _settle(
    doubt: int, before: list[int], frames: Frames, states: TextStates, width: int
) -> tuple[str, int]:
    """Follow hypotheses from a doubtful frame until one is left, or the line ends.

    Returns:
        What it reads behind `before`, and the frame behind.
    """
    last = chr(before[-1]) if before else chr(BLANK)
    after_blank = not before or frames.best[doubt - 1] == BLANK
    masses = (1.0, 0.0) if after_blank else (0.0, 1.0)
    beams: Beams = {last: (*masses, states.after(before))}
    for t in frames.steps[frames.steps.index(doubt) :]:
        if t in frames.choices:
            beams = _scaled(_extend(beams, frames.choices[t], states), width)
            continue
        best = frames.best[t]
        beams = _extend(beams, [(best, chr(best), 1.0)], states)
        beams = _scaled(_distinguishable(beams), width)
        if len(beams) == 1:
            return next(iter(beams))[1:], t + 1
    best_text = max(beams, key=lambda text: sum(beams[text][:2]) * states.end(beams[text][2]))
    return best_text[1:], len(frames.best)


def _extend(beams: Beams, choices: list[Choice], states: TextStates) -> Beams:
    """Let every hypothesis go through a frame with every class that it may have."""
    extended: Beams = {}
    for text, (blank, other, state) in beams.items():
        both = blank + other
        for k, character, probability in choices:
            if k == BLANK:
                held = extended.get(text, (0.0, 0.0, state))
                extended[text] = (held[0] + both * probability, held[1], state)
                continue
            mass = both
            if character == text[-1]:  # the same again only behind a blank
                if other:
                    held = extended.get(text, (0.0, 0.0, state))
                    extended[text] = (held[0], held[1] + other * probability, state)
                mass = blank
            if mass:
                factor, then = states.step(state, k)
                longer = text + character
                held = extended.get(longer, (0.0, 0.0, then))
                extended[longer] = (held[0], held[1] + mass * probability * factor, then)
    return extended


def _distinguishable(beams: Beams) -> Beams:
    """Keep the best of hypotheses that no later frame can tell apart.

    Behind a sure frame all end in a blank, or all in its character: what follows multiplies those
    of one last character and one state by the same.
    """
    best: dict[tuple[str, int], str] = {}
    for text, (blank, other, state) in beams.items():
        rival = best.get((text[-1], state))
        if rival is None or blank + other > sum(beams[rival][:2]):
            best[text[-1], state] = text
    return {text: beams[text] for text in best.values()}


def _scaled(beams: Beams, width: int) -> Beams:
    """Keep the best hypotheses, the best of all with a probability of 1: none ever underflows."""
    texts = sorted(beams, key=lambda text: -sum(beams[text][:2]))[:width]
    top = sum(beams[texts[0]][:2])
    kept = ((text, beams[text]) for text in texts)
    return {text: (blank / top, other / top, state) for text, (blank, other, state) in kept}
