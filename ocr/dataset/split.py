"""Splits: what belongs together stays on one side, and what is in test stays in test."""

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadInput

Split = Literal["train", "val", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)
TRAIN, VAL, TEST = range(3)
"""Positions in SPLITS: the larger, the more protected."""

Codes = NDArray[np.int32]
"""Numbers of rows, or of sets of rows, from 0."""

SplitCodes = NDArray[np.int8]
"""Positions in SPLITS."""


@dataclass(frozen=True)
class SplitRule:
    """How samples without a split of their own are divided.

    Attributes:
        val_share: Share held out for validation.
        test_share: Share held out for the test.
        seed: Another seed, other splits.
    """

    val_share: float
    test_share: float
    seed: int

    def __post_init__(self) -> None:
        if self.val_share + self.test_share >= 1:
            total = self.val_share + self.test_share
            raise BadInput(f"val_share and test_share sum to {total:g}, expected less than 1")


UNDIVIDED = SplitRule(val_share=0, test_share=0, seed=0)
"""Of rows that all have a split of their own."""


def assign_splits(
    keys: Iterable[str],
    *,
    rule: SplitRule,
    given: Sequence[Split] = (),
    ties: Codes | None = None,
    kept: NDArray[np.bool_] | None = None,
    follows: NDArray[np.bool_] | None = None,
    frozen_share: float = 0.0,
) -> SplitCodes:
    """Assign a split to each of N samples; equal keys, and what is tied together, share it.

    Every key has a place of its own, which depends on the key and the seed alone. What is tied
    goes to test if one of its keys has its place there, else to val if one has, else to train. So
    a sample that joins may bring others to val or test, but never takes one out of test.

    A split that is left empty borrows from the first of train, val and test that has two sets.
    So test lends nothing where two sets have their places elsewhere. What it borrowed itself goes
    back when a set comes that is nearer to it: no rule that knows only the samples of today could
    keep that in test and test small.

    Args:
        keys: Content hash or group of each.
        rule: Shares and seed.
        given: Splits that have samples of their own and get none of these.
        ties: Number, from 0, of what each is tied to; None: to nothing but equal keys.
        kept: Which ones become samples: the others tie, but fill no empty split; None: all.
        follows: Which ones go with what they are tied to, wherever their own place is; None: none.
        frozen_share: Of the samples that were once drawn for a test that is frozen: its places are
            those of train from then on, so that val stays where it was.

    Returns:
        (N,) positions in SPLITS.
    """
    test_share = 0.0 if "test" in given else rule.test_share
    val_share = 0.0 if "val" in given else rule.val_share
    if ties is None:
        keys = list(keys)
        ties = number(keys)
    nearest = np.ones(ties.max(initial=-1) + 1)
    places = find_places(keys, len(ties), rule=rule, frozen_share=frozen_share)
    if follows is not None:
        places[follows] = 1.0
    np.minimum.at(nearest, ties, places)
    splits = np.full(len(nearest), TRAIN, np.int8)
    splits[nearest < test_share + val_share] = VAL
    splits[nearest < test_share] = TEST
    wanted = [split for split, share in ((TEST, test_share), (VAL, val_share)) if share]
    is_sample = np.zeros(len(nearest), bool)
    is_sample[ties if kept is None else ties[kept]] = True
    if not np.isin([*wanted, TRAIN], splits[is_sample]).all():
        samples = np.flatnonzero(is_sample)
        splits[samples] = _fill_empty(splits[samples], nearest[samples], [*wanted, TRAIN])
    return splits[ties]


def number(values: Iterable[Hashable]) -> Codes:
    """Number N values from 0, equal ones alike: (N,)."""
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(value, len(seen)) for value in values], np.int32)


def where(is_one: NDArray[np.bool_]) -> Codes:
    """Positions of the true ones of N: (M,)."""
    return np.flatnonzero(is_one).astype(np.int32)


def find_places(
    keys: Iterable[str], count: int, *, rule: SplitRule, frozen_share: float = 0.0
) -> NDArray[np.float64]:
    """Say where each of N keys lies between 0 (test) and 1 (train), for `assign_splits`: (N,)."""
    written = (f"{rule.seed}:{key}".encode("utf-8", "surrogatepass") for key in keys)
    drawn = (int.from_bytes(hashlib.sha256(each).digest()[:8]) for each in written)
    return (np.fromiter(drawn, np.uint64, count) / 2**64 - frozen_share) % 1


def _fill_empty(
    splits: SplitCodes, positions: NDArray[np.float64], wanted: Sequence[int]
) -> SplitCodes:
    filled = splits.copy()
    for split in wanted:
        if split in filled:
            continue
        for lender in (TRAIN, VAL, TEST):
            lent = np.flatnonzero(filled == lender)
            if len(lent) > 1:
                filled[lent[np.argmin(positions[lent])]] = split
                break
    return filled
