"""Automations of Prefect that end runs whose process is gone, so that their slots are free."""

from datetime import timedelta

from prefect.client.orchestration import PrefectClient
from prefect.client.schemas.objects import StateType
from prefect.events.actions import ChangeFlowRunState
from prefect.events.schemas.automations import AutomationCore, EventTrigger, Posture

from deploy.automations.automation import set_automation

HEARTBEAT = "prefect.flow-run.heartbeat"
SILENCE_S = 90
"""Three heartbeats."""
BEGIN_S = 300
"""Most seconds from a run's process to its first heartbeat, on a machine that is busy."""
ENDS = ("Completed", "Failed", "Crashed", "Cancelled", "Suspended")
"""Not Paused: a run that waits for a person has a process, and gives signs of life."""
BEGINS = ("Running", "Cancelling", "Scheduled", "AwaitingRetry", "AwaitingConcurrencySlot")
AGAIN = "Run it again: it goes on from its last checkpoint."


async def ensure_ended(client: PrefectClient) -> None:
    """Create the automations, or make them what they are here; one that is off stays off."""
    for wanted in (silent_runs(), runs_that_never_began()):
        await set_automation(client, wanted)


def silent_runs() -> AutomationCore:
    """Return what ends a run that says nothing any more."""
    return _crash(
        "ocrline: runs that fell silent",
        after={HEARTBEAT},
        expect={HEARTBEAT, *(f"prefect.flow-run.{name}" for name in ENDS)},
        within=timedelta(seconds=SILENCE_S),
        message=f"No sign of life for {SILENCE_S} s: its process or its machine ended. {AGAIN}",
    )


def runs_that_never_began() -> AutomationCore:
    """Return what ends a run whose process was started and never came to its flow."""
    return _crash(
        "ocrline: runs that never began",
        after={"prefect.flow-run.Pending"},
        expect={f"prefect.flow-run.{name}" for name in (*BEGINS, *ENDS)},
        within=timedelta(seconds=BEGIN_S),
        message=f"It did not begin within {BEGIN_S} s: its worker ended. {AGAIN}",
    )


def _crash(
    name: str, *, after: set[str], expect: set[str], within: timedelta, message: str
) -> AutomationCore:
    return AutomationCore(
        name=name,
        description="Made by ocrline; a change of what it waits for is undone at the next start.",
        trigger=EventTrigger(
            match={"prefect.resource.id": "prefect.flow-run.*"},
            after=after,
            expect=expect,
            for_each={"prefect.resource.id"},
            posture=Posture.Proactive,
            threshold=1,
            within=within,
        ),
        actions=[ChangeFlowRunState(state=StateType.CRASHED, message=message)],
    )
