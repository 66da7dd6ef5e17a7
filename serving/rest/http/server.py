"""uvicorn's server, which tells those beside it that it stops: their time to finish is the same."""

import asyncio
import socket
import sys
from typing import Final

import uvicorn

NOT_STARTED: Final = 3
"""The exit code of `uvicorn.run` where the application does not start."""


class Server(uvicorn.Server):
    """Serves until SIGTERM or SIGINT."""

    def __init__(self, config: uvicorn.Config, *, stopping: asyncio.Event) -> None:
        """Begin nothing yet.

        Args:
            config: What is served, and where.
            stopping: Is set when no new connection is taken any more.
        """
        super().__init__(config)
        self._stopping = stopping

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve; where it does not start, the process ends as by `uvicorn.run`."""
        super().run(sockets)
        if not self.started:
            sys.exit(NOT_STARTED)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop: answer the requests inside, and then let the application end."""
        self._stopping.set()
        await super().shutdown(sockets)
