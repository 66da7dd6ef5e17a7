"""In which order Prefect's server reacts to events: as it does itself, and after a restart too.

An event waits for the one that it follows, 15 minutes at most. Prefect 3.8.8 knows which it has
looked at until it ends: that a run crashed which was under way then was told 15 minutes late.
"""

from datetime import datetime
from uuid import UUID

import sqlalchemy as sa
from prefect.server.database import provide_database_interface
from prefect.server.events.ordering import memory
from prefect.server.events.schemas.events import ReceivedEvent
from prefect.types._datetime import now

_BEGUN = now("UTC")


class CausalOrdering(memory.CausalOrdering):
    """Prefect's own, but for events that follow one of before this server."""

    async def wait_for_leader(self, event: ReceivedEvent) -> None:
        """Wait until the event that this one follows was looked at.

        Raises:
            EventArrivedEarly: It was not yet.
        """
        leader = event.follows
        if leader is None or await self.event_has_been_seen(leader):
            return
        if not await _came_before(_BEGUN, leader):
            await super().wait_for_leader(event)


async def _came_before(time: datetime, event: UUID) -> bool:
    database = provide_database_interface()
    found = sa.select(database.Event.id).where(
        database.Event.id == event, database.Event.received < time
    )
    async with database.session_context() as session:
        return (await session.scalar(found)) is not None
