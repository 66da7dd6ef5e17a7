"""Delivery through apprise: a few tries within a bounded time, and what went wrong, masked."""

import logging
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from typing import Final

import apprise

from tasks.notifying.masking import mask
from tasks.notifying.notice import Notice
from tasks.notifying.targets import Target

CONNECT_S: Final = 4.0
READ_S: Final = 6.0
PAUSES_S: Final = (1.0, 3.0)
MOST_SAID: Final = 300
ENDLESS: Final = "its answer has no end"

_TYPES: Final = {
    "failure": apprise.NotifyType.FAILURE,
    "crash": apprise.NotifyType.FAILURE,
    "promotion": apprise.NotifyType.SUCCESS,
    "approval-needed": apprise.NotifyType.INFO,
    "new-data": apprise.NotifyType.INFO,
}
_ASSET: Final = apprise.AppriseAsset(
    app_id="ocrline",
    app_desc="ocrline",
    app_url="",
    image_url_mask=None,
    image_url_logo=None,
    image_path_mask=None,
)


@contextmanager
def _quiet() -> Iterator[StringIO]:
    """Capture what apprise logs, which names addresses, and let nobody else hear it."""
    log = logging.getLogger("apprise")
    with apprise.LogCapture(level=logging.DEBUG, fmt="%(message)s") as captured:
        log.propagate = False
        try:
            yield captured
        finally:
            log.propagate = True


@dataclass(frozen=True)
class Undelivered:
    """A target that could not be told, and why, without secrets."""

    target: str
    why: str


def deliver(
    notice: Notice, target: Target, *, pauses_s: Sequence[float] = PAUSES_S
) -> Undelivered | None:
    """Tell one target.

    It is tried again where the message surely did not arrive; a target that took it and did not
    say so in time would otherwise have it twice.
    """
    service = open_service(target)
    if service is None:
        return Undelivered(target.name, "apprise knows no such address; see ocrline notifications")
    said = ""
    for pause_s in (*pauses_s, None):
        is_sent, said = _send(service, notice)
        if is_sent:
            return None
        if pause_s is None or _may_have_arrived(said):
            break
        time.sleep(pause_s)
    return Undelivered(target.name, mask(said, [target.url])[:MOST_SAID] or "no reason was given")


def open_service(target: Target) -> apprise.NotifyBase | None:
    """Return what tells a target, None for an address of no kind; the first loads all kinds."""
    with _quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of its mail's imports
        service = apprise.Apprise.instantiate(target.url, asset=_ASSET, suppress_exceptions=True)
    if service is not None:
        service.socket_connect_timeout = CONNECT_S
        service.socket_read_timeout = READ_S
        service.notify_format = apprise.NotifyFormat.TEXT
    return service


def _send(service: apprise.NotifyBase, notice: Notice) -> tuple[bool, str]:
    """Return whether it was taken, and what apprise said."""
    with _quiet() as captured:
        try:
            is_sent = service.notify(
                title=notice.title,
                body=notice.body,
                notify_type=_TYPES.get(notice.kind, apprise.NotifyType.WARNING),
                body_format=apprise.NotifyFormat.TEXT,
            )
        except MemoryError:
            return False, ENDLESS
        except Exception as error:  # noqa: BLE001 - a plugin's fault ends no run of ours
            return False, f"{type(error).__name__}: {error}"
        said = [line for line in captured.getvalue().splitlines() if "ayload" not in line]
    return bool(is_sent), "; ".join(said)


def _may_have_arrived(said: str) -> bool:
    return said == ENDLESS or ("timed out" in said and "connect timeout" not in said)
