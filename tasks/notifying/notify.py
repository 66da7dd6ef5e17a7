"""Tell everybody who wants to know, once, and never at the expense of a run."""

from contextvars import copy_context
from threading import Thread
from time import monotonic
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from prefect.context import FlowRunContext, TaskRunContext
from prefect.events import emit_event
from prefect.settings import PREFECT_API_URL, PREFECT_UI_URL

from configs.people.notifications import EventKind
from configs.settings import Settings, SettingsError
from ocr.errors import OcrError
from ocr.machine.owner import name_user
from tasks.notifying.apart import MOST_S, deliver_apart
from tasks.notifying.ledger import claimed
from tasks.notifying.notice import Notice
from tasks.notifying.targets import Target, Targets, read_targets
from tasks.run.narration import narrate

EVENTS: Final[dict[EventKind, str]] = {
    "promotion": "ocrline.promoted",
    "rollback": "ocrline.rolled-back",
    "refusal": "ocrline.refused",
    "hold": "ocrline.held",
}
PATIENCE_S: Final = 5
"""Until a person at a terminal hears what is waited for."""


def notify(notice: Notice) -> None:
    """Tell everybody who wants to know, in a thread that a run does not wait for.

    The thread is bounded, and the process ends after it. A file that cannot be used and a target
    that cannot be told are said in the log.
    """
    _emit(notice)
    try:
        targets = read_targets(Settings())
    except (OcrError, SettingsError) as error:
        narrate("notify", f"nobody is told: {error}")
        return
    if any(target.wants(notice) for target in targets.every):
        run = copy_context().run  # so that the run's own log has what goes wrong
        Thread(target=run, args=(tell, notice, targets), name="notify").start()


def tell(notice: Notice, targets: Targets) -> list[str]:
    """Tell all targets that want to know and were not told, at once; return who could not be.

    Args:
        notice: What happened.
        targets: Who is told.
    """
    home = Settings().home
    wanted = [target for target in targets.every if target.wants(notice)]
    failed: dict[str, str] = {}

    def tell_one(target: Target) -> None:
        with claimed(home, event=notice.id, target=target.url) as entry:
            undelivered = deliver_apart(notice, target, entry) if entry is not None else None
        if undelivered is not None:
            failed[target.url] = f"{undelivered.target} was not told: {undelivered.why}"

    # No pool of threads: it takes no more work once the main thread has come to its end.
    threads = [Thread(target=tell_one, args=(target,)) for target in wanted]
    for thread in threads:
        thread.start()
    started = monotonic()
    for thread in threads:
        thread.join(max(0.0, started + PATIENCE_S - monotonic()))
    if any(thread.is_alive() for thread in threads):
        narrate("notify", f"waits for who is told, {MOST_S} s at most")
    for thread in threads:
        thread.join()
    told = [failed[target.url] for target in wanted if target.url in failed]
    for said in told:
        narrate("notify", said)
    return told


def current_run() -> str:
    """Return the id of the flow run that this is; empty: it is none."""
    task, flow = TaskRunContext.get(), FlowRunContext.get()
    if task is not None:
        return str(task.task_run.flow_run_id or "")
    return str(flow.flow_run.id) if flow is not None and flow.flow_run else ""


def name_mover() -> str:
    """Name who changes something in the store: user, machine and, in a run, its id."""
    run = current_run()
    return name_user() + (f", run {run}" if run else "")


def link_to(run: str, *, report: str = "") -> str:
    """Return where a run is read about: in the UI, or else the report's path.

    Below /v2, which asks for the login first; Prefect's older pages, without it, are "not found".
    """
    try:
        address = read_targets(Settings()).address
    except (OcrError, SettingsError):
        address = ""
    address = address or (PREFECT_UI_URL.value() or "")
    return f"{address}/v2/runs/flow-run/{run}" if run and address else report


def _emit(notice: Notice) -> None:
    """Emit what automations may follow, where there is a server to take it."""
    name = EVENTS.get(notice.kind)
    if name is None or not PREFECT_API_URL.value():
        return
    version = notice.model.partition(":")[2]
    emit_event(
        event=name,
        resource={
            "prefect.resource.id": f"ocrline.model.{notice.name}",
            "prefect.resource.name": notice.name,
        },
        payload={"version": version, "why": notice.why, "who": notice.who},
        id=uuid5(NAMESPACE_URL, notice.id),  # what is told again is no other event
    )
