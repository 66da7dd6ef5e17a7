"""The page at /: a person drops an image and sees what is read; nothing comes from elsewhere."""

from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Final

from fastapi import APIRouter, Response

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
INDEX: Final = "index.html"
FILES: Final = {
    "/" if file.name == INDEX else f"/page/{file.name}": (
        file.read_bytes(),
        TYPES[file.name.rpartition(".")[2]],
    )
    for file in files("serving.web").joinpath("page").iterdir()
}
PATHS: Final = frozenset(FILES)
"""The page asks for the token itself, so that it is served without one."""


def demo_routes() -> APIRouter:
    """Make the routes of the page; its files are in memory since start-up."""
    router = APIRouter()
    for path, (content, kind) in FILES.items():
        router.add_api_route(path, _answer_with(content, kind), include_in_schema=False)
    return router


def _answer_with(content: bytes, kind: str) -> Callable[[], Awaitable[Response]]:
    async def answer() -> Response:
        return Response(content, media_type=kind, headers={"Content-Security-Policy": POLICY})

    return answer
