"""uvicorn's server, which tells those beside it that it stops: their time to finish is the same."""

import asyncio
import socket

import uvicorn


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

    def stop(self, *_: object) -> None:
        """Have it stop, or not begin: a handler of signals until it has its own, and after that."""
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop: answer the requests inside, and then let the application end."""
        self._stopping.set()
        await super().shutdown(sockets)
