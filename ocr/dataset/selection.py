"""From good rows to samples: duplicates out, splits set, no split empty."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ocr.dataset.candidate import Candidate, SampleLabel
from ocr.dataset.duplicates import drop_duplicates, find_leaks, split_keys
from ocr.dataset.quarantine import Rejection, check_bad_share, count_reasons
from ocr.dataset.split import SPLITS, Split, SplitRule, assign_splits
from ocr.errors import BadData

LabelT = TypeVar("LabelT", bound=SampleLabel)


@dataclass(frozen=True)
class Selection(Generic[LabelT]):
    """The samples of a snapshot and what did not become one."""

    accepted: list[tuple[Candidate[LabelT], Split]]
    rejections: list[Rejection]


def select_samples(
    found: Iterable[Candidate[LabelT] | Rejection],
    *,
    rule: SplitRule,
    given: Sequence[Split],
    max_bad_share: float,
    cluster: Callable[[Sequence[Candidate[LabelT]]], Sequence[int]],
) -> Selection[LabelT]:
    """Select the samples and their splits.

    Args:
        found: Good and rejected rows in any order.
        rule: How rows without a split of their own are divided.
        given: Splits that have rows of their own.
        max_bad_share: Share of rejected rows above which nothing is selected.
        cluster: Numbers the clusters of near-duplicates, which no split may share.

    Raises:
        TooManyRejected: When more than that share was rejected.
        BadData: When a split is empty.
    """
    candidates: list[Candidate[LabelT]] = []
    rejections: list[Rejection] = []
    for each in found:
        if isinstance(each, Rejection):
            rejections.append(each)
        else:
            candidates.append(each)
    kept, copies = drop_duplicates(candidates)
    accepted, leaks = _split(kept, cluster(kept), rule=rule, given=given)
    return conclude(accepted, [*rejections, *copies, *leaks], max_bad_share=max_bad_share)


def conclude(
    accepted: list[tuple[Candidate[LabelT], Split]],
    rejections: Iterable[Rejection],
    *,
    max_bad_share: float,
) -> Selection[LabelT]:
    """Refuse a selection that lost too much, or a whole split; raises as `select_samples` does."""
    ordered = sorted(rejections)
    rows = len(accepted) + len(ordered)
    check_bad_share(count_reasons(ordered), rows=rows, max_bad_share=max_bad_share)
    _refuse_empty([split for _, split in accepted], rejected=len(ordered))
    return Selection(accepted, ordered)


def _split(
    candidates: Sequence[Candidate[LabelT]],
    clusters: Sequence[int],
    *,
    rule: SplitRule,
    given: Sequence[Split],
) -> tuple[list[tuple[Candidate[LabelT], Split]], list[Rejection]]:
    free = [at for at, candidate in enumerate(candidates) if candidate.row.split is None]
    keys = split_keys(candidates, clusters)
    assigned = dict(
        zip(free, assign_splits([keys[at] for at in free], rule=rule, given=given), strict=True)
    )
    splits = [c.row.split or assigned[at] for at, c in enumerate(candidates)]
    leaks = find_leaks(candidates, splits, clusters)
    accepted = [
        (candidate, split)
        for at, (candidate, split) in enumerate(zip(candidates, splits, strict=True))
        if at not in leaks
    ]
    return accepted, list(leaks.values())


def _refuse_empty(splits: Sequence[Split], *, rejected: int) -> None:
    for split in SPLITS:
        if split not in splits:
            fix = (
                f"give {split}_labels or a larger {split}_share" if split != "train" else "add rows"
            )
            raise BadData(
                f"the {split} split is empty after {rejected} rows were rejected and "
                f"{len(splits)} accepted; {fix}"
            )
