"""Raises an event about a model with Prefect's server, where automations wait for it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from uuid import UUID, uuid4

from prefect.client.orchestration import get_client

from ocr.errors import StoreUnavailable

NEW_DATA = "ocrline.new-data"
DRIFT = "ocrline.drift"


class EventRefused(StoreUnavailable):
    """Prefect's server did not take an event; a retry may help."""


def raise_event(
    event: str, model: str, payload: Mapping[str, str | float], *, identity: UUID | None = None
) -> None:
    """Send one event and wait until the server has it.

    Args:
        event: Its name.
        model: Name of the model that it is about.
        payload: What there is to say.
        identity: Of the event; what was raised once under it starts nothing again. None: a new one.

    Raises:
        EventRefused: The server does not take it.
    """
    content = {
        "event": event,
        "id": str(identity or uuid4()),
        "occurred": datetime.now(UTC).isoformat(),
        "resource": {
            "prefect.resource.id": f"ocrline.model.{model}",
            "prefect.resource.name": model,
        },
        "payload": dict(payload),
    }
    with get_client(sync_client=True) as client:
        reply = client._client.post("/events", json=[content])
    if not reply.is_success:
        raise EventRefused(f"Prefect does not take {event}: {reply.status_code} {reply.text[:200]}")
