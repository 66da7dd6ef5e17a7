"""Whether somebody answers at an address of this machine."""

import httpx


def answers(url: str, *, password: str = "") -> bool:
    """Return whether a GET of the address, never through a proxy, is answered with 200.

    Args:
        url: The address.
        password: ``user:password`` of basic authentication, empty for none.
    """
    user, _, secret = password.partition(":")
    auth = (user, secret) if password else None
    try:  # of an answer, only its head: its body may be endless, or no gzip
        with httpx.stream("GET", url, auth=auth, timeout=2, trust_env=False) as reply:
            return reply.status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False
