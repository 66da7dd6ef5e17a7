"""Two versions beside each other, paired where both read the same samples."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ocr.evaluation.bootstrap import Interval
from ocr.evaluation.comparison import Comparison
from ocr.evaluation.report import ModelReport
from ocr.lineage.ancestry import Ancestry, read_ancestry
from ocr.lineage.data import CopyTables, DataChange, compare_data
from ocr.lineage.decision import name_test_set
from ocr.lineage.evaluations import Report, find_reports, pair_reports
from ocr.models.registry import ModelVersion, Registry
from ocr.report.lineage import flatten


@dataclass(frozen=True)
class Side:
    """One of the two.

    Attributes:
        reference: NAME:VERSION.
        metrics: On its test split, by name; empty: its evaluation is not known.
        test_set: What that is; empty: unknown. `samples`: how many.
        size_mb: Of the nets that are served.
        latency_ms: Median of an image when it was judged; None: unknown.
    """

    reference: str
    metrics: Mapping[str, Interval]
    test_set: str
    samples: int
    size_mb: float
    latency_ms: float | None


@dataclass(frozen=True)
class VersionComparison:
    """Two versions.

    Attributes:
        first: One; `second`: the other.
        change: Of the metric that decides, from the first to the second, with its bounds; None:
            they have read no same samples, and `why_not` says what differs.
        parameters: That differ, of training and of a pipeline's reading: those of the first and the
            second by their path, "" where there is none. Of a part the path begins with it.
        data: What differs between what they learned from, by the name of the part ("" itself); None
            where a snapshot is not in the store any more.
    """

    first: Side
    second: Side
    change: Comparison | None
    why_not: str
    parameters: Mapping[str, tuple[str, str]]
    data: Mapping[str, DataChange | None]


def compare_versions(
    registry: Registry, first: ModelVersion, second: ModelVersion, copy_tables: CopyTables
) -> VersionComparison:
    """Compare two versions, of one model or of two.

    Raises:
        BadData: What the store says of them is damaged.
    """
    before = read_ancestry(registry, first, copy_tables)
    after = read_ancestry(registry, second, copy_tables)
    theirs, ours = find_reports(registry, first), find_reports(registry, second)
    paired = pair_reports(ours, theirs)
    sides = (
        _side(before, paired.opponent if paired else None, paired or next(iter(theirs), None)),
        _side(after, paired.candidate if paired else None, paired or next(iter(ours), None)),
    )
    return VersionComparison(
        first=sides[0],
        second=sides[1],
        change=paired.comparison if paired else None,
        why_not="" if paired else _say_why(*sides),
        parameters=_differences(before, after),
        data=dict(_compare_data(before, after, copy_tables)),
    )


def _side(version: Ancestry, read: ModelReport | None, report: Report | None) -> Side:
    """Describe a version by what it read of the samples of both, or of its own newest ones."""
    test_set, samples = name_test_set(report) if report else ("", 0)
    read = read or (report.candidate if report else None)
    return Side(
        reference=version.reference,
        metrics=read.intervals if read else {},
        test_set=test_set,
        samples=samples,
        size_mb=version.size_mb,
        latency_ms=version.decisions[-1].latency_ms if version.decisions else None,
    )


def _say_why(first: Side, second: Side) -> str:
    unknown = [side.reference for side in (first, second) if not side.test_set]
    if unknown:
        return f"no evaluation of {' and of '.join(unknown)} is kept in the store"
    said = (f"{s.reference} read {s.samples} ({s.test_set[:12]})" for s in (first, second))
    return f"they read other test samples: {', '.join(said)}"


def _differences(first: Ancestry, second: Ancestry) -> dict[str, tuple[str, str]]:
    before, after = dict(_parameters(first)), dict(_parameters(second))
    paths = dict.fromkeys([*before, *after])
    return {
        path: (before.get(path, ""), after.get(path, ""))
        for path in paths
        if before.get(path, "") != after.get(path, "")
    }


def _parameters(version: Ancestry) -> Iterator[tuple[str, str]]:
    yield from flatten(version.parameters)
    yield from version.reading.items()
    yield "code", version.code_commit
    for name, part in version.parts.items():
        yield from ((f"{name}.{path}", value) for path, value in _parameters(part))


def _compare_data(
    first: Ancestry, second: Ancestry, copy_tables: CopyTables, name: str = ""
) -> Iterator[tuple[str, DataChange | None]]:
    before, after = first.data, second.data
    if before.digest != after.digest:
        tables = [copy_tables(data.key) for data in (before, after) if data.key]
        yield name, compare_data(*tables) if len(tables) == 2 else None
    for part in first.parts.keys() & second.parts.keys():
        yield from _compare_data(first.parts[part], second.parts[part], copy_tables, part)
