"""How a problem is written: as clients of the path that was asked expect one."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from serving.access.access_log import AccessRecord
from serving.problems import Code, Problem, lost_engine, problem_response

Write = Callable[[Problem, AccessRecord], Response]
"""Makes the answer of a problem and of what is known of the request."""

_FROM_ROUTER: Final[Mapping[int, Code]] = {404: "not_found", 405: "method_not_allowed"}


class Refusals:
    """Writes what routes raise, what the router refuses, and what never comes to a route."""

    def __init__(
        self,
        *,
        routes: Sequence[BaseRoute] = (),
        writers: Mapping[str, Write] = MappingProxyType({}),
        beneath: Mapping[str, Write] = MappingProxyType({}),
    ) -> None:
        """Know the paths.

        Args:
            routes: Of the application: whose request is refused before it comes to one.
            writers: By the path of a route, where problems are written otherwise than ours.
            beneath: By the first part of a path, as in /v2: of all routes there and of none.
        """
        self._routes = routes
        self._writers = writers
        self._beneath = beneath

    def write(self, problem: Problem, scope: Scope) -> Response:
        """Write a problem with a request, and note its code."""
        record = scope["state"]["record"]
        record.code = problem.code
        scope["route"] = scope.get("route") or self._find_route(scope)
        first = "/" + scope["path"].lstrip("/").partition("/")[0]  # the path of OPTIONS may be *
        others = self._beneath.get(first, _write_ours)
        return self._writers.get(path_of(scope), others)(problem, record)

    async def answer_problem(self, request: Request, problem: Exception) -> Response:
        """Answer a Problem that a route raised."""
        if not isinstance(problem, Problem):
            raise problem
        return self.write(problem, request.scope)

    async def answer_lost_engine(self, request: Request, loss: Exception) -> Response:
        """Answer that what reads is being replaced."""
        return self.write(lost_engine(loss), request.scope)

    async def answer_router(self, request: Request, refusal: Exception) -> Response:
        """Answer what the router refused: a path or a method that there is not."""
        if not isinstance(refusal, HTTPException):
            raise refusal
        code = _FROM_ROUTER.get(refusal.status_code, "bad_request")
        what = f"{request.method} {request.url.path[:200]}"
        problem = Problem(code, f"{what}: {refusal.detail}; see /docs")
        response = self.write(problem, request.scope)
        response.headers.update(refusal.headers or {})
        return response

    def _find_route(self, scope: Scope) -> BaseRoute | None:
        matching = (route for route in self._routes if route.matches(scope)[0] is not Match.NONE)
        return next(matching, None)


def _write_ours(problem: Problem, record: AccessRecord) -> Response:
    return problem_response(problem, request_id=record.request_id)


def path_of(scope: Scope) -> str:
    """Return the template of the path that was asked."""
    return getattr(scope.get("route"), "path", "other")
