"""Whether the gateway can have its ports, asked before anything of it is started."""

import errno
import socket

from configs.settings import SettingsError, variable_of
from ocr.errors import OcrError
from ocr.machine.owner import describe_listener


class PortTaken(OcrError, OSError):
    """A port at which somebody else listens; once that has ended, a retry helps."""

    exit_code = 5


def check_port(host: str, port: int, *, field: str = "port") -> None:
    """Raise where nobody could listen at a port now.

    Args:
        host: Name or address.
        port: The port.
        field: Of the settings, that says which.

    Raises:
        PortTaken: Somebody listens there.
        SettingsError: This machine has no such address, or we may not listen there.
    """
    variable = variable_of(field)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, address in found:
            if (probe := _open(family, kind, protocol)) is None:
                continue
            with probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind(address)
    except (OSError, UnicodeError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            option = " (ocrline serve: --port)" * (field == "port")
            raise PortTaken(
                f"Port {port} of {host} is taken by {describe_listener(port)}: set {variable} to "
                f"another port{option}, or stop that first"
            ) from None
        message = f"OCRLINE_HOST={host!r}, {variable}={port}: nobody can listen there: {error}"
        raise SettingsError(message) from None


def _open(family: int, kind: int, protocol: int) -> socket.socket | None:
    """Open a socket; None where this machine does not speak its family, as IPv6."""
    try:
        return socket.socket(family, kind, protocol)
    except OSError as error:
        if error.errno != errno.EAFNOSUPPORT:
            raise
        return None
