"""``ocrline prune``: what nobody needs any more, shown, and with ``--yes`` removed."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from cli.options import AsJson, StoreUri, settings_for
from cli.output import OUT, print_json, print_table
from ocr.store import Store

DAY_S = 24 * 3600


@dataclass(frozen=True)
class Row:
    """One thing of the store or of this machine, and what becomes of it."""

    kind: str
    what: str
    bytes: int
    used: str
    why: str
    may_go: bool
    removed: bool


def prune(
    older_than: Annotated[
        int, typer.Option(min=7, help="Days since it was written or in use; a run may last that.")
    ] = 30,
    versions: Annotated[
        bool, typer.Option("--versions", help="Also versions that were never champion.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Remove it; else it is only shown.")] = False,
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Show what of the store and of this machine nobody needs, and what stays; --yes removes it.

    Champions, their history, what they were made of and judged by, and frozen tests always stay.
    """
    from tasks.workspace import open_workspace

    workspace = open_workspace(settings_for(store))
    before = time.time() - older_than * DAY_S
    rows = [
        *_prune_store(workspace.store, before=before, versions_too=versions, yes=yes),
        *_prune_home(workspace.home, before=before, yes=yes),
    ]
    if as_json:
        print_json(rows)
    elif rows:
        _print(rows, yes=yes)
    else:
        OUT.print(f"nothing is stored in {workspace.store.uri}", soft_wrap=True)


def _prune_store(store: Store, *, before: float, versions_too: bool, yes: bool) -> Iterator[Row]:
    from ocr.retention.plan import plan_removal
    from ocr.retention.removal import remove_thing

    for verdict in plan_removal(store, before=before, versions_too=versions_too):
        thing = verdict.thing
        gone = yes and verdict.may_go and remove_thing(store, thing, before=before)
        used = _day(thing.used)
        yield Row(thing.kind, thing.prefix, thing.size, used, verdict.why, verdict.may_go, gone)


def _prune_home(home: Path, *, before: float, yes: bool) -> Iterator[Row]:
    from tasks.run.copies import find_copies, remove_copy
    from tasks.run.leftovers import find_leftovers, remove_leftover

    for each in list(find_leftovers(home)):
        gone = yes and remove_leftover(each)
        used = _day(time.time() - each.age_s)
        yield Row("left on this machine", str(each.path), each.size, used, each.why, True, gone)
    for each in list(find_copies(home, before=before)):
        gone = yes and remove_copy(each, before=before)
        used = _day(time.time() - each.age_s)
        yield Row("copy on this machine", str(each.path), each.size, used, each.why, True, gone)


def _print(rows: list[Row], *, yes: bool) -> None:
    for title, may_go in (("what stays", False), ("what may go", True)):
        chosen = [row for row in rows if row.may_go == may_go]
        counts = Counter((row.kind, row.why) for row in chosen)
        sizes: Counter[tuple[str, str]] = Counter()
        for row in chosen:
            sizes[row.kind, row.why] += row.bytes
        print_table(
            title,
            ["what", "how many", "MB", "why"],
            [(kind, n, _mb(sizes[kind, why]), why) for (kind, why), n in sorted(counts.items())],
        )
    chosen = [row for row in rows if row.removed == yes and row.may_go]
    said = "removed" if yes else "may go; --yes removes them, --json names each"
    OUT.print(f"{len(chosen)} things, {_mb(sum(row.bytes for row in chosen))} MB {said}")


def _mb(size: int) -> str:
    return f"{size / 1e6:.1f}"


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(moment))
