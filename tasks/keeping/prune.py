"""What of the store and of this machine nobody needs: shown, and removed when told to."""

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from prefect import task
from prefect.artifacts import create_table_artifact

from configs.operation.prune import PruneParams
from ocr.errors import BadInput, StoreUnavailable
from ocr.retention.plan import Verdict, plan_removal
from ocr.retention.removal import remove_thing
from ocr.store import Store
from ocr.store.state import PROBE, write_probe
from tasks.notifying.notify import name_mover
from tasks.run.copies import find_copies, remove_copy
from tasks.run.leftovers import Leftover, find_leftovers, remove_leftover
from tasks.run.narration import narrate
from tasks.workspace import Workspace, open_workspace

DAY_S = 24 * 3600
MOST_AHEAD_S = 3600


@dataclass(frozen=True)
class PruneRow:
    """One thing of the store or of this machine, and what becomes of it."""

    kind: str
    what: str
    bytes: int
    used: str
    why: str
    may_go: bool
    removed: bool


@dataclass(frozen=True)
class PruneSum:
    """Things of one kind that stay or may go for one reason."""

    kind: str
    things: int
    megabytes: float
    why: str
    may_go: bool


@task(name="prune")
def prune_store(params: PruneParams) -> list[PruneSum]:
    """Judge all that there is, remove what may go unless it is a dry run, and show a table."""
    rows = prune_workspace(open_workspace(), params)
    sums = sum_up(rows)
    create_table_artifact(
        table=[
            {
                "what": each.kind,
                "things": each.things,
                "MB": each.megabytes,
                "becomes": _becomes(each, params),
                "why": each.why,
            }
            for each in sorted(sums, key=lambda each: not each.may_go)
        ],
        key="prune",
        description=describe(rows, dry_run=params.dry_run),
    )
    narrate("prune", describe(rows, dry_run=params.dry_run))
    return sums


def prune_workspace(workspace: Workspace, params: PruneParams) -> list[PruneRow]:
    """Judge, and remove unless it is a dry run, things of the store and of this machine."""
    before = time.time() - params.older_than_days * DAY_S
    yes = not params.dry_run
    in_store = _prune_store(workspace.store, before=before, versions=params.versions, yes=yes)
    return [*in_store, *_prune_home(workspace.home, before=before, yes=yes)]


def sum_up(rows: Sequence[PruneRow]) -> list[PruneSum]:
    """Count things by what becomes of them, kind and reason."""
    things: Counter[tuple[bool, str, str]] = Counter()
    sizes: Counter[tuple[bool, str, str]] = Counter()
    for row in rows:
        things[row.may_go, row.kind, row.why] += 1
        sizes[row.may_go, row.kind, row.why] += row.bytes
    return [
        PruneSum(kind, n, round(sizes[may_go, kind, why] / 1e6, 1), why, may_go)
        for (may_go, kind, why), n in sorted(things.items())
    ]


def describe(rows: Sequence[PruneRow], *, dry_run: bool) -> str:
    """Say how much may go, or went."""
    chosen = [row for row in rows if row.may_go and (dry_run or row.removed)]
    megabytes = sum(row.bytes for row in chosen) / 1e6
    return f"{len(chosen)} things, {megabytes:.1f} MB {'may go' if dry_run else 'removed'}"


def _prune_store(store: Store, *, before: float, versions: bool, yes: bool) -> Iterator[PruneRow]:
    verdicts = plan_removal(store, before=before, versions_too=versions)
    going = [each for each in verdicts if each.may_go] if yes else []
    if going:
        _try_store(store)
    is_recorded = _record(store, going)
    for verdict in verdicts:
        thing = verdict.thing
        gone = yes and verdict.may_go and remove_thing(store, thing, before=before)
        used = _day(thing.used)
        yield PruneRow(
            thing.kind, thing.prefix, thing.size, used, verdict.why, verdict.may_go, gone
        )
    if not is_recorded:
        _record(store, going)


def _try_store(store: Store) -> None:
    """Refuse to remove by a clock that is ahead of the store's, or with a key that may not.

    Raises:
        BadInput: What this machine says is old may be new.
        StoreUnavailable: Nothing may be removed.
    """
    store.remove(PROBE)  # of one that was killed; refused before anybody is said to remove things
    try:
        write_probe(store)
    except StoreUnavailable:  # it may be full: what goes makes room
        return
    now = time.time()
    stamps = (each.modified for each in store.entries("doctor") if each.key == PROBE)
    ahead_s = now - next(stamps, now)  # another prune may have removed it
    store.remove(PROBE)
    if ahead_s > MOST_AHEAD_S:
        raise BadInput(
            f"the clock of this machine is {ahead_s / 3600:.1f} hours ahead of that of "
            f"{store.uri}: what is new would be taken for old; set it, then prune"
        )


def _record(store: Store, going: Sequence[Verdict]) -> bool:
    """Keep who removes what, and why; marks of use, which say nothing, aside.

    Returns:
        Whether it is kept; a store that is full has room once things are gone.
    """
    things = [
        {"kind": each.thing.kind, "what": each.thing.prefix, "why": each.why}
        for each in going
        if each.thing.kind != "mark of use"
    ]
    if things:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        said = json.dumps({"at": at, "by": name_mover(), "things": things}, indent=1)
        try:
            store.put_bytes(f"prunes/{at[:10]}-{uuid4().hex[:12]}.json", said.encode())
        except StoreUnavailable as error:
            narrate("prune", f"who removes what is not kept: {error}")
            return False
    return True


def _prune_home(home: Path, *, before: float, yes: bool) -> Iterator[PruneRow]:
    for left in list(find_leftovers(home)):
        gone = yes and remove_leftover(left)
        yield _local_row("left on this machine", left, gone=gone)
    for copy in list(find_copies(home, before=before)):
        gone = yes and remove_copy(copy, before=before)
        yield _local_row("copy on this machine", copy, gone=gone)


def _local_row(kind: str, each: Leftover, *, gone: bool) -> PruneRow:
    used = _day(time.time() - each.age_s)
    return PruneRow(kind, str(each.path), each.size, used, each.why, may_go=True, removed=gone)


def _becomes(each: PruneSum, params: PruneParams) -> str:
    if not each.may_go:
        return "stays"
    return "may go" if params.dry_run else "removed"


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(moment))
