"""``ocrline models compare``: two versions beside each other."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import AsJson, StoreUri, settings_for
from cli.output import OUT, print_json, print_table

if TYPE_CHECKING:
    from ocr.evaluation.bootstrap import Interval
    from ocr.lineage.comparison import Side, VersionComparison

Reference = Annotated[str, typer.Argument(help="NAME, NAME@alias or NAME:version.")]


def compare(
    first: Reference, second: Reference, store: StoreUri = "", as_json: AsJson = False
) -> None:
    """Compare metrics on the same test samples, parameters, data, size and latency."""
    from ocr.lineage.comparison import compare_versions
    from tasks.workspace import open_workspace

    workspace = open_workspace(settings_for(store))
    registry = workspace.registry
    found = compare_versions(
        registry, registry.resolve(first), registry.resolve(second), workspace.copy_tables
    )
    if as_json:
        print_json(found)
    else:
        _print(found)


def _print(found: "VersionComparison") -> None:
    first, second = found.first, found.second
    columns = ["what", first.reference, second.reference]
    print_table("metrics, with 95 % intervals", columns, _rows(first, second))
    change = found.change
    if change is None:
        OUT.print(f"not compared pairwise: {found.why_not}", markup=False, soft_wrap=True)
    else:
        OUT.print(
            f"{second.reference} beside {first.reference} on the same {change.n} samples: "
            f"{100 * change.change:+.1f} points, 95% bounds {100 * change.lower:+.1f} to "
            f"{100 * change.upper:+.1f}; {change.gained} lines gained, {change.lost} lost",
            markup=False,
            soft_wrap=True,
        )
    if found.parameters:
        print_table(
            "parameters that differ",
            columns,
            [(path, *values) for path, values in found.parameters.items()],
        )
    for part, data in found.data.items():
        said = (
            "one of the snapshots is not in the store any more"
            if data is None
            else f"{data.added} samples added, {data.removed} removed, {data.relabelled} "
            f"relabelled, {data.moved} in another split, {data.kept} kept"
        )
        name = f"data of the {part}" if part else "data"
        OUT.print(f"{name}: {said}", markup=False, soft_wrap=True)
    if not found.data:
        OUT.print("data: the same")


def _rows(first: "Side", second: "Side") -> Iterator[tuple[str, str, str]]:
    for name in dict.fromkeys([*first.metrics, *second.metrics]):
        yield name, _say(first.metrics.get(name)), _say(second.metrics.get(name))
    yield "test samples", _name_set(first), _name_set(second)
    yield "size", f"{first.size_mb:.1f} MB", f"{second.size_mb:.1f} MB"
    yield "median of an image", _say_time(first), _say_time(second)


def _say(interval: "Interval | None") -> str:
    if interval is None:
        return "–"
    return f"{interval.value:.4f} ({interval.lower:.4f} to {interval.upper:.4f})"


def _name_set(side: "Side") -> str:
    return f"{side.samples} ({side.test_set[:12]})" if side.test_set else "unknown"


def _say_time(side: "Side") -> str:
    return "unknown" if side.latency_ms is None else f"{side.latency_ms:.1f} ms"
