"""Health and metadata of the Open Inference Protocol, version 2, as KServe and Triton have them.

Tensors are not taken: what reads images is under /v1.
"""

from importlib.metadata import version
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse

from serving.models.model_pool import ModelPool
from serving.problems import Problem

Name = Annotated[str, Path(description="Name of the model")]

NOT_READY: Final[dict[int | str, dict[str, Any]]] = {503: {"description": "not ready yet"}}
UNKNOWN: Final = {
    403: {"description": "not with this key"},
    404: {"description": "no such model"},
    **NOT_READY,
}


def kserve_routes(pool: ModelPool) -> APIRouter:
    """Make the routes."""
    router = APIRouter()

    @router.get("/v2", summary="The server's metadata, for clients of KServe")
    async def server() -> dict[str, Any]:
        return {"name": "ocrline", "version": version("ocrline"), "extensions": []}

    @router.get("/v2/health/live", summary="Live, for clients of KServe")
    async def live() -> dict[str, bool]:
        return {"live": True}

    @router.get("/v2/health/ready", summary="Ready, for clients of KServe", responses=NOT_READY)
    async def ready() -> JSONResponse:
        return _ready(not pool.why_not_ready())

    @router.get(
        "/v2/models/{name}",
        summary="A model's metadata, for clients of KServe",
        responses=UNKNOWN,
    )
    async def model(name: Name, request: Request) -> JSONResponse:
        try:
            request.state.caller.admit(name)
            served = pool.choose(name, of=request.state.caller.models)
        except Problem as problem:
            request.state.record.code = problem.code
            return JSONResponse({"error": str(problem)}, status_code=problem.status)
        return JSONResponse(
            {
                "name": served.name,
                "versions": [served.version],
                "platform": f"ocrline_{served.engine}",
                "inputs": [{"name": "image", "datatype": "BYTES", "shape": [-1]}],
                "outputs": [{"name": "text", "datatype": "BYTES", "shape": [-1]}],
            }
        )

    @router.get(
        "/v2/models/{name}/ready",
        summary="Whether a model reads, for clients of KServe",
        responses=UNKNOWN,
    )
    async def model_ready(name: Name, request: Request) -> JSONResponse:
        allowed = request.state.caller.models
        state = pool.states.get(name)
        if state is None or (allowed and name not in allowed):
            return JSONResponse({"error": f"No champion of {name[:100]!r}"}, status_code=404)
        return _ready(state.live is not None)

    return router


def _ready(is_ready: bool) -> JSONResponse:
    return JSONResponse({"ready": is_ready}, status_code=200 if is_ready else 503)
