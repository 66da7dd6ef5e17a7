"""Deterministic splits: what belongs together stays on one side, and stays there as data grows."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ocr.errors import BadInput

Split = Literal["train", "val", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)


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


def assign_splits(
    keys: Sequence[str], *, rule: SplitRule, given: Sequence[Split] = ()
) -> list[Split]:
    """Assign a split to each key; equal keys get the same split.

    A key's split depends on the key and the seed alone, so that a sample never moves from test to
    train when others join. Only where that leaves a wanted split empty is a key of the largest
    split moved into it.

    Args:
        keys: Content hash or group of each sample.
        rule: Shares and seed.
        given: Splits that have samples of their own and get none of these.
    """
    test_share = 0.0 if "test" in given else rule.test_share
    val_share = 0.0 if "val" in given else rule.val_share
    positions = {key: _position(key, seed=rule.seed) for key in set(keys)}
    splits: dict[str, Split] = {
        key: _split_at(position, val_share=val_share, test_share=test_share)
        for key, position in positions.items()
    }
    _fill_empty(splits, positions, {"test": test_share, "val": val_share})
    return [splits[key] for key in keys]


def _position(key: str, *, seed: int) -> float:
    digest = hashlib.sha256(f"{seed}:{key}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def _split_at(position: float, *, val_share: float, test_share: float) -> Split:
    if position < test_share:
        return "test"
    return "val" if position < test_share + val_share else "train"


def _fill_empty(
    splits: dict[str, Split], positions: dict[str, float], shares: dict[Split, float]
) -> None:
    wanted: list[Split] = [*(split for split, share in shares.items() if share), "train"]
    for split in wanted:
        counts = Counter(splits.values())
        if counts[split] or not counts:
            continue
        largest, count = max(counts.items(), key=lambda item: (item[1], item[0]))
        if count > 1:
            candidates = (key for key in splits if splits[key] == largest)
            splits[min(candidates, key=positions.__getitem__)] = split
