"""What a composer knows of its crops: their layouts, mattes and rough centres."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from ocr.image.pixels import Image
from training.recognition.composition.group import CropGroup, GroupReport, build_group

Floats = NDArray[np.float64]

MAX_GROUP_CROPS = 2000
"""Most crops of one length that are aligned (30 ms each); the others stay as they are."""
FREQUENT = 50
TRIAL_CROPS = 100
"""Crops of a large group that must prove a fixed layout before the others are aligned."""


@dataclass(frozen=True)
class Composition:
    """All that is derived from the crops, M of them.

    Attributes:
        texts: What the crops read.
        sizes: (M, 2), their widths and heights, to know them by.
        centres_px: Of each crop, the rough x of its characters as given.
        groups: The text lengths of fixed layout.
        reports: All text lengths, shortest first.
    """

    texts: tuple[str, ...]
    sizes: NDArray[np.int64]
    centres_px: tuple[Floats, ...]
    groups: tuple[CropGroup, ...]
    reports: tuple[GroupReport, ...]


def build_composition(
    images: Sequence[Image],
    texts: Sequence[str],
    centres_px: Sequence[NDArray[np.floating]],
    *,
    seed: int,
) -> Composition:
    """Align the crops of each text length and take them apart.

    Raises:
        BadData: No text length has a fixed layout; the message says why.
    """
    lines = tuple(_as_x(centres) for centres in centres_px)
    groups, reports = [], []
    for length, indices in sorted(_by_length(texts, lines).items()):
        chosen = _choose(indices, texts, seed=seed)
        try:
            if len(chosen) > 4 * TRIAL_CROPS:  # free text is refused before all is aligned
                trial = np.random.default_rng(seed).choice(chosen, TRIAL_CROPS, replace=False)
                _build_group(images, texts, lines, np.sort(trial))
            group = _build_group(images, texts, lines, chosen)
        except BadData as error:
            reports.append(GroupReport(length, len(indices), 0, str(error)))
        else:
            groups.append(group)
            reports.append(GroupReport(length, len(indices), len(group.indices), ""))
    if not groups:
        reasons = "; ".join(f"texts of {r.characters} characters: {r.refusal}" for r in reports)
        raise BadData(f"No crops of a fixed layout to compose from: {reasons or 'no crops'}")
    return Composition(
        texts=tuple(texts),
        sizes=sizes_of(images),
        centres_px=lines,
        groups=tuple(groups),
        reports=tuple(reports),
    )


def _build_group(
    images: Sequence[Image],
    texts: Sequence[str],
    lines: Sequence[Floats],
    chosen: NDArray[np.int64],
) -> CropGroup:
    return build_group(
        [images[index] for index in chosen],
        [texts[index] for index in chosen],
        [lines[index] for index in chosen],
        chosen,
    )


def sizes_of(images: Sequence[Image]) -> NDArray[np.int64]:
    """Widths and heights (M, 2)."""
    return np.array([image.shape[1::-1] for image in images], np.int64).reshape(-1, 2)


def _as_x(centres: NDArray[np.floating]) -> Floats:
    array = np.asarray(centres, np.float64)
    return array if array.ndim == 1 else array[:, 0]


def _by_length(texts: Sequence[str], centres: Sequence[Floats]) -> dict[int, list[int]]:
    lengths: dict[int, list[int]] = defaultdict(list)
    for index, (text, line) in enumerate(zip(texts, centres, strict=True)):
        if text and len(text) == len(line):
            lengths[len(text)].append(index)
    return lengths


def _choose(indices: list[int], texts: Sequence[str], *, seed: int) -> NDArray[np.int64]:
    """At most MAX_GROUP_CROPS of the crops, those with rare characters first."""
    if len(indices) <= MAX_GROUP_CROPS:
        return np.array(indices)
    counts = Counter(character for index in indices for character in texts[index])
    shuffled = np.random.default_rng(seed).permutation(indices)
    ranks = [min(FREQUENT, *(counts[character] for character in texts[i])) for i in shuffled]
    return np.sort(shuffled[np.argsort(ranks, kind="stable")[:MAX_GROUP_CROPS]])
