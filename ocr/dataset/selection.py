"""From good rows to samples: duplicates out, splits set, no split empty."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ocr.dataset.accepted import Accepted
from ocr.dataset.candidate import Candidate, SampleLabel
from ocr.dataset.candidate_table import CandidateTable
from ocr.dataset.collecting import collect
from ocr.dataset.documents.division import Division
from ocr.dataset.documents.groups import find_owners, part
from ocr.dataset.documents.votes import outvote
from ocr.dataset.duplicates import drop_duplicates, find_leaks, name_of, tie
from ocr.dataset.quarantine import (
    Rejection,
    TooManyRejected,
    check_bad_share,
    count_reasons,
    list_reasons,
)
from ocr.dataset.snapshot.held_out import HeldOut, drawn_share, hold
from ocr.dataset.split import (
    SPLITS,
    TRAIN,
    Codes,
    Split,
    SplitCodes,
    SplitRule,
    where,
)
from ocr.dataset.spool import Spool
from ocr.errors import BadData

LabelT = TypeVar("LabelT", bound=SampleLabel)

FindAlike = Callable[[CandidateTable[LabelT], CandidateTable[LabelT]], NDArray[np.bool_]]
"""Tells which rows of the first table, which nobody checked, are copies of any of the second."""

_KEYS_AT_ONCE = 4096
_OF_DOCUMENTS = (
    "where equal lines are printed words of several documents, dataset.group_pattern names the "
    "document of each: all are kept then, and the documents keep the splits apart"
)


@dataclass(frozen=True)
class Selection(Generic[LabelT]):
    """The samples of a snapshot and what did not become one."""

    accepted: Accepted[LabelT]
    rejections: list[Rejection]


def select_samples(
    found: Iterable[Candidate[LabelT] | Rejection],
    *,
    spool: Spool,
    rule: SplitRule,
    given: Sequence[Split],
    max_bad_share: float,
    cluster: Callable[[CandidateTable[LabelT]], Codes],
    find_alike: FindAlike[LabelT] | None = None,
    frozen: HeldOut | None = None,
    filled: Sequence[Split] = SPLITS,
    groups_part: bool = False,
) -> Selection[LabelT]:
    """Select the samples and their splits; what nobody checked joins those that were.

    Args:
        found: Good and rejected rows in any order.
        spool: Where good rows wait until they are written.
        rule: How rows without a split of their own are divided.
        given: Splits that have rows of their own.
        max_bad_share: Share of rejected rows above which nothing is selected.
        cluster: Numbers the clusters of near-duplicates, which no split may share.
        find_alike: Tells which rows that nobody checked are copies of others; None: there are no
            such rows.
        frozen: The test split to keep: its samples return to test, and no other is put there.
        filled: Splits that need samples.
        groups_part: Images of different groups may be alike, as the lines of documents are: their
            groups keep the splits apart. All are kept, but those outvoted by equal ones.

    Raises:
        TooManyRejected: When more than that share was rejected, or all rows of a split.
        BadData: When a split is empty.
    """
    frozen_share = drawn_share(rule, given, frozen) if frozen is not None else 0.0
    if frozen is not None and "test" not in given:
        found = hold(found, frozen, by_group=groups_part)
        given = (*given, "test")
    candidates, rejections = collect(found, spool=spool)
    of_people = where(~candidates.unchecked)
    labelled = candidates.part(of_people)
    positions, copies = drop_duplicates(labelled, groups_repeat=groups_part)
    division = Division(labelled, rule=rule, given=given, frozen_share=frozen_share)
    clusters, ties, follows = _find_ties(
        labelled, cluster(labelled), groups_part=groups_part, nearness=division.nearness
    )
    splits = division.divide(ties, kept=positions, follows=follows)
    kept = Accepted(labelled, positions, splits[positions])
    leaks = outvote(kept) if groups_part else {}
    leaks |= division.reject_strays(kept, clusters, follows)
    leaks |= _reject_leaks(kept, clusters[positions], labelled.groups[positions])
    left = kept.without(np.fromiter(leaks, np.int32))
    left = Accepted(candidates, of_people[left.positions], left.splits)
    rejected = [*rejections, *copies, *leaks.values()]
    if find_alike is not None and len(of_people) < len(candidates):
        left, yielding = _join_unchecked(left, of_people, splits, find_alike=find_alike)
        rejected += yielding
    return conclude(
        left,
        rejected,
        max_bad_share=max_bad_share,
        filled=filled,
        tied=_describe_ties(ties[positions]),
        are_lines=groups_part,
    )


def conclude(
    accepted: Accepted[LabelT],
    rejections: Iterable[Rejection],
    *,
    max_bad_share: float,
    filled: Sequence[Split] = SPLITS,
    tied: str = "",
    are_lines: bool = False,
) -> Selection[LabelT]:
    """Refuse a selection that lost too much, or a whole split; raises as `select_samples` does.

    Args:
        accepted: What is left.
        rejections: What is not.
        max_bad_share: Share of rejected rows above which it is refused.
        filled: Splits that need samples.
        tied: What to do about rows of which most are tied together; empty: they are not.
        are_lines: Duplicates may be equal lines of documents, whose groups should be given.
    """
    is_grouped = accepted.candidates.column("group").any()
    ordered = sorted(rejections)
    rows = len(accepted) + len(ordered)
    check_bad_share(
        count_reasons(ordered),
        rows=rows - accepted.unchecked,
        max_bad_share=max_bad_share,
        rejections=ordered,
        advice=_OF_DOCUMENTS if are_lines and not is_grouped else "",
    )
    _refuse_empty(accepted.splits, ordered, filled=filled, tied=tied)
    return Selection(accepted, ordered)


def _join_unchecked(
    accepted: Accepted[LabelT],
    of_people: Codes,
    splits: SplitCodes,
    *,
    find_alike: FindAlike[LabelT],
) -> tuple[Accepted[LabelT], list[Rejection]]:
    """Add to train what nobody checked, and say what yields and to what.

    People's rows are selected and split as if there were no others. What nobody checked joins
    them, but for copies of what somebody labelled and what belongs to a document that is held out.

    Args:
        accepted: What was selected of people's rows.
        of_people: (P,) positions of these among the candidates, selected or not.
        splits: (P,) their splits.
        find_alike: Tells copies.
    """
    candidates = accepted.candidates
    positions = where(candidates.unchecked)
    images, groups = candidates.column("image"), candidates.groups
    is_held_out = np.isin(groups[positions], groups[of_people[splits != TRAIN]])
    is_held_out = np.isin(images[positions], images[positions[is_held_out]])
    is_alike = np.isin(images[positions], images[of_people])
    is_alike |= find_alike(candidates.part(positions), candidates.part(of_people))
    _, first = np.unique(images[positions], return_index=True)
    is_first = np.isin(np.arange(len(positions)), first)
    rejections = []
    for at in where(is_alike | is_held_out | ~is_first).tolist():
        row = candidates[int(positions[at])].row
        if is_alike[at]:
            rejections.append(row.reject("duplicate", "somebody labelled this page"))
        elif is_held_out[at]:
            detail = f"val or test have others of the group {row.group!r}"
            rejections.append(row.reject("group_in_two_splits", detail))
        else:
            rejections.append(row.reject("duplicate", "read before"))
    joining = positions[~is_alike & ~is_held_out & is_first]
    together = np.concatenate([accepted.positions, joining])
    both = np.concatenate([accepted.splits, np.full(len(joining), TRAIN, np.int8)])
    order = np.argsort(together, kind="stable")
    return Accepted(candidates, together[order], both[order]), rejections


def _find_ties(
    candidates: CandidateTable[LabelT],
    clusters: Codes,
    *,
    groups_part: bool,
    nearness: Callable[[Codes], NDArray[np.float64]],
) -> tuple[Codes, Codes, NDArray[np.bool_]]:
    """Number the near-duplicates that no split may share, and all that must stay together.

    Returns:
        Both, and which rows go with what they are tied to.
    """
    groups, images = candidates.groups, candidates.column("image")
    follows = np.zeros(len(candidates), bool)
    if groups_part:
        is_grouped = candidates.column("group") != 0
        owners, follows = find_owners(clusters, groups, is_grouped, nearness=nearness)
        clusters, images = part(clusters, owners), part(images, owners)
    return clusters, tie(clusters, groups, images), follows


def _reject_leaks(kept: Accepted[LabelT], clusters: Codes, groups: Codes) -> dict[int, Rejection]:
    """Reject near-duplicates and group members of what lies in a more protected split."""
    leaks: dict[int, Rejection] = {}
    for at, leak, keeper in _find_leaks(kept, groups):
        detail = f"of the group {leak.row.group!r}, as {keeper}"
        leaks[at] = leak.row.reject("group_in_two_splits", detail)
    for at, leak, keeper in _find_leaks(kept, clusters):
        leaks[at] = leak.row.reject("near_image_in_two_splits", f"nearly the same as {keeper}")
    return leaks


def _find_leaks(
    kept: Accepted[LabelT], sets: Codes
) -> Iterator[tuple[int, Candidate[LabelT], str]]:
    """Yield the number of each leak, the leak, and the split and name of what keeps its place."""
    leaking, keepers = find_leaks(kept.splits, sets)
    leaks, others = (
        kept.candidates.at(kept.positions[numbers].tolist()) for numbers in (leaking, keepers)
    )
    splits = kept.splits[keepers].tolist()
    for at, leak, other, split in zip(leaking.tolist(), leaks, others, splits, strict=True):
        yield at, leak, f"{SPLITS[split]} {name_of(other)}"


def _describe_ties(ties: Codes) -> str:
    """Say how many rows hang together, where that is most of them; more rows would only join."""
    most = int(np.bincount(ties).max(initial=0))
    if most < 2 or 2 * most < len(ties):
        return ""
    return (
        f"{most} of {len(ties)} rows hang together, as of one group or as copies, and stay in one "
        "split: dataset.group_pattern, group_column or group_field says which are of one document"
    )


def _refuse_empty(
    splits: SplitCodes, rejections: Sequence[Rejection], *, filled: Sequence[Split], tied: str
) -> None:
    for split in filled:
        if SPLITS.index(split) not in splits:
            is_split_off = split != "train" and "train" in filled
            more = f"give {split}_labels or a larger {split}_share" if is_split_off else "add rows"
            fix = tied or more
            message = (
                f"the {split} split is empty after {len(rejections)} rows were rejected and "
                f"{len(splits)} accepted; {fix}"
            )
            if not rejections:
                raise BadData(message)
            reasons = count_reasons(rejections)
            raise TooManyRejected(f"{message}\n{list_reasons(reasons)}", reasons, rejections)
