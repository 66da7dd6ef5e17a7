"""The wall clock beside that of the store: S3 refuses requests of another quarter of an hour."""

import ssl
from collections.abc import Iterator
from contextlib import closing
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection

from ocr.machine.finding import Finding, broken, fine, risky
from ocr.machine.machine import Machine

REFUSED_S = 15 * 60
RISKY_S = 60
TIMEOUT_S = 2.0
ADVICE = "set this machine's clock: sudo timedatectl set-ntp true (a container has its host's)"


def check_clock(machine: Machine, *, endpoint: str, secure: bool) -> Iterator[Finding]:
    """Compare the clock with the Date that the store's server answers; yield nothing without it.

    Args:
        machine: Whose clock it is.
        endpoint: HOST:PORT of the S3 server.
        secure: Whether it is reached over TLS.
    """
    theirs = _ask_date(endpoint, secure=secure)
    if theirs is None:
        return
    ahead_s = machine.now() - theirs
    said = f"{abs(ahead_s):.0f} s {'ahead of' if ahead_s > 0 else 'behind'} {endpoint}"
    if abs(ahead_s) >= REFUSED_S:
        yield broken("clock", f"{said}, which refuses requests {REFUSED_S} s away", ADVICE)
    elif abs(ahead_s) >= RISKY_S:
        yield risky("clock", f"{said}, which refuses requests {REFUSED_S} s away", ADVICE)
    else:
        yield fine("clock", f"as that of {endpoint}")


def _ask_date(endpoint: str, *, secure: bool) -> float | None:
    """Return the server's time (epoch, s); None where there is no server or it says none."""
    try:
        with closing(_connect(endpoint, secure=secure)) as connection:
            connection.request("HEAD", "/")
            date = connection.getresponse().getheader("Date", "")
        return parsedate_to_datetime(date).timestamp()
    except (OSError, HTTPException, ValueError):
        return None


def _connect(endpoint: str, *, secure: bool) -> HTTPConnection:
    if secure:
        context = ssl.create_default_context()
        return HTTPSConnection(endpoint, timeout=TIMEOUT_S, context=context)
    return HTTPConnection(endpoint, timeout=TIMEOUT_S)
