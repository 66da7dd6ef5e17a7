"""Whether somebody answers at an address of this machine."""

import asyncio

import httpx

TIMEOUT_S = 2


def answers(url: str, *, password: str = "") -> bool:
    """Return whether a GET of the address, never through a proxy, is answered with 200.

    Args:
        url: The address.
        password: ``user:password`` of basic authentication, empty for none.
    """
    user, _, secret = password.partition(":")
    auth = (user, secret) if password else None
    try:
        return asyncio.run(_ask(url, auth))
    except (httpx.HTTPError, TimeoutError):
        return False


async def _ask(url: str, auth: tuple[str, str] | None) -> bool:
    """Take of an answer only its head, and that in time: its body may be endless, or no gzip."""
    async with (
        asyncio.timeout(TIMEOUT_S),
        httpx.AsyncClient(auth=auth, trust_env=False) as client,
        client.stream("GET", url) as reply,
    ):
        return reply.status_code == httpx.codes.OK
