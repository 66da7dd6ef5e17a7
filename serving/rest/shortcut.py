"""The way of the busiest route, past what FastAPI does around one."""

from collections.abc import Awaitable, Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

METHOD: Final = "POST"


class Shortcut:
    """Answers one route itself, as the application behind would: by the same function.

    The application describes the route, and answers its other methods.
    """

    def __init__(self, app: ASGIApp, *, path: str, short: ASGIApp) -> None:
        """Lead requests.

        Args:
            app: The application.
            path: Of the route.
            short: An `Endpoint`, with the same edge around it.
        """
        self._app = app
        self._path = path
        self._short = short

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        is_short = (
            scope["type"] == "http" and scope["path"] == self._path and scope["method"] == METHOD
        )
        await (self._short if is_short else self._app)(scope, receive, send)


class Endpoint:
    """The function of a route, as an application; `path` names it in metrics."""

    def __init__(self, path: str, answer: Callable[[Request], Awaitable[Response]]) -> None:
        self.path = path
        self.answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; what is wrong with it is raised."""
        scope["route"] = self
        response = await self.answer(Request(scope, receive))
        await response(scope, receive, send)
