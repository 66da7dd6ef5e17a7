"""Which requests a browser may bring here: to a name of ours, and from no other site.

A page of another site can lead its own name to this address (DNS rebinding), and can send forms
with files here (cross-site requests). A browser says where a request comes from; what is no browser
says nothing, and passes.
"""

import ipaddress
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from serving.problems import Problem

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
OWN_SITES: Final = frozenset({"same-origin", "none"})


def refuse_foreign(
    headers: Mapping[str, str], *, hosts: Sequence[str], method: str, names: Collection[str]
) -> None:
    """Refuse what another site's page brought.

    The order is that of Go's net/http.CrossOriginProtection: Sec-Fetch-Site decides where there is
    one, behind a proxy too; older browsers, and all over plain HTTP, send only Origin.

    Args:
        headers: Of the request, by their names in small letters.
        hosts: All that its headers name.
        method: Of the request; those that change nothing may come from other sites.
        names: In small letters. Addresses are always ours: a name that leads here is none.

    Raises:
        Problem: It is refused.
    """
    for host in hosts:
        if _name_of(host) not in names and not _is_address(_name_of(host)):
            message = f"{host[:100]!r} is no name of this gateway; OCRLINE_HOSTS adds names"
            raise Problem("unknown_host", message)
    if method in SAFE_METHODS:
        return
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is None and origin is not None:
        is_own = origin.partition("://")[2] == headers.get("host")
    else:
        is_own = site is None or site in OWN_SITES
    if not is_own:
        raise Problem("cross_site", "A page of another site may not send requests here")


@lru_cache(256)
def _name_of(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:  # brackets that do not match
        return ""


@lru_cache(256)
def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
