"""From good rows to samples: duplicates out, splits set, no split empty."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from ocr.dataset.candidate import Candidate, SampleLabel
from ocr.dataset.duplicates import drop_duplicates, find_leaks, name_of, tie
from ocr.dataset.quarantine import Rejection, TooManyRejected, check_bad_share, count_reasons
from ocr.dataset.split import SPLITS, Codes, Split, SplitRule, assign_splits, number
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
    cluster: Callable[[Sequence[Candidate[LabelT]]], Codes],
) -> Selection[LabelT]:
    """Select the samples and their splits.

    Args:
        found: Good and rejected rows in any order.
        rule: How rows without a split of their own are divided.
        given: Splits that have rows of their own.
        max_bad_share: Share of rejected rows above which nothing is selected.
        cluster: Numbers the clusters of near-duplicates, which no split may share.

    Raises:
        TooManyRejected: When more than that share was rejected, or all rows of a split.
        BadData: When a split is empty.
    """
    candidates: list[Candidate[LabelT]] = []
    rejections: list[Rejection] = []
    for each in found:
        if isinstance(each, Rejection):
            rejections.append(each)
        else:
            candidates.append(each)
    candidates.sort(key=lambda candidate: (candidate.encoded.id, candidate.row.where))
    positions, copies = drop_duplicates(candidates)
    clusters = cluster(candidates)
    groups = number(c.row.group or at for at, c in enumerate(candidates))
    splits = _split(candidates, clusters, groups, positions, rule=rule, given=given)[positions]
    kept = [candidates[at] for at in positions]
    leaks = _reject_leaks(kept, splits, clusters[positions], groups[positions])
    accepted = [
        (candidate, SPLITS[splits[at]]) for at, candidate in enumerate(kept) if at not in leaks
    ]
    return conclude(accepted, [*rejections, *copies, *leaks.values()], max_bad_share=max_bad_share)


def conclude(
    accepted: list[tuple[Candidate[LabelT], Split]],
    rejections: Iterable[Rejection],
    *,
    max_bad_share: float,
) -> Selection[LabelT]:
    """Refuse a selection that lost too much, or a whole split; raises as `select_samples` does."""
    ordered = sorted(rejections)
    rows = len(accepted) + len(ordered)
    check_bad_share(
        count_reasons(ordered), rows=rows, max_bad_share=max_bad_share, rejections=ordered
    )
    _refuse_empty([split for _, split in accepted], ordered)
    return Selection(accepted, ordered)


def _split(
    candidates: Sequence[Candidate[LabelT]],
    clusters: Codes,
    groups: Codes,
    kept: Sequence[int],
    *,
    rule: SplitRule,
    given: Sequence[Split],
) -> Codes:
    """Set the splits of all rows: what those that are not kept tie together stays together."""
    images = number(candidate.encoded.id for candidate in candidates)
    splits = np.array([SPLITS.index(c.row.split or "train") for c in candidates], np.int64)
    is_free = np.array([candidate.row.split is None for candidate in candidates], bool)
    free = [candidate for candidate in candidates if candidate.row.split is None]
    splits[is_free] = assign_splits(
        [f"group:{c.row.group}" if c.row.group else c.encoded.id for c in free],
        rule=rule,
        given=given,
        ties=tie(clusters, groups, images)[is_free],
        kept=np.isin(np.arange(len(candidates)), kept)[is_free],
    )
    return splits


def _reject_leaks(
    candidates: Sequence[Candidate[LabelT]], splits: Codes, clusters: Codes, groups: Codes
) -> dict[int, Rejection]:
    """Reject near-duplicates and group members of what lies in a more protected split."""

    def placed(at: int) -> str:
        return f"{SPLITS[splits[at]]} {name_of(candidates[at])}"

    leaks: dict[int, Rejection] = {}
    for at, keeper in zip(*find_leaks(splits, groups), strict=True):
        detail = f"of the group {candidates[at].row.group!r}, as {placed(keeper)}"
        leaks[at] = candidates[at].row.reject("group_in_two_splits", detail)
    for at, keeper in zip(*find_leaks(splits, clusters), strict=True):
        detail = f"nearly the same as {placed(keeper)}"
        leaks[at] = candidates[at].row.reject("near_image_in_two_splits", detail)
    return leaks


def _refuse_empty(splits: Sequence[Split], rejections: Sequence[Rejection]) -> None:
    for split in SPLITS:
        if split not in splits:
            fix = (
                f"give {split}_labels or a larger {split}_share" if split != "train" else "add rows"
            )
            message = (
                f"the {split} split is empty after {len(rejections)} rows were rejected and "
                f"{len(splits)} accepted; {fix}"
            )
            if not rejections:
                raise BadData(message)
            raise TooManyRejected(message, count_reasons(rejections), rejections)
