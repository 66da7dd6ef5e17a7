"""Before a run: what earlier ones that were killed left goes; the store says which form it has."""

from prefect import task

from ocr.store.state import mark_store
from tasks.run.alone import SUFFIX, release
from tasks.run.leftovers import find_leftovers, remove_leftover, take_if_allowed
from tasks.run.narration import narrate
from tasks.workspace import open_workspace


@task(name="sweep")
def sweep_leftovers() -> None:
    """Remove half copies and the work of killed runs; nothing that a living run may need.

    What cannot be removed, being another user's, stays: no reason to end a run.
    """
    workspace = open_workspace()
    home = workspace.home
    mark_store(workspace.store)
    (home / "jobs").mkdir(exist_ok=True)
    path = home / "jobs" / ".sweep.lock"
    lock = take_if_allowed(path)
    if lock is None:  # another run sweeps
        return
    try:
        for free in (home / "jobs").glob(f"*{SUFFIX}"):
            if not free.with_suffix("").exists() and (unused := take_if_allowed(free)):
                release(unused, free)
        removed = [each for each in list(find_leftovers(home)) if remove_leftover(each)]
    finally:
        release(lock, path)
    if removed:
        size_mb = sum(each.size for each in removed) / 1e6
        narrate("sweep", f"removed {len(removed)} leftovers of killed runs, {size_mb:.1f} MB")
