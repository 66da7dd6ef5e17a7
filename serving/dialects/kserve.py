"""Health and metadata of the Open Inference Protocol, version 2, as KServe and Triton have them.

Tensors are not taken, which is said to who sends them: what reads images is under /v1.
"""

from importlib.metadata import version
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from serving.access.access_log import AccessRecord
from serving.models.live_model import LiveModel
from serving.models.model_pool import ModelPool
from serving.problems import SOON, Problem
from serving.rest.openapi import ONE_PART, ErrorAnswer, Responses, refused

Name = Annotated[str, Path(description="Name of the model", json_schema_extra=ONE_PART)]

SERVER: Final = "/v2"
LIVE: Final = "/v2/health/live"
READY: Final = "/v2/health/ready"
MODEL: Final = "/v2/models/{name}"
MODEL_READY: Final = "/v2/models/{name}/ready"
VERSION: Final = f"{MODEL}/versions/{{version}}"
VERSION_READY: Final = f"{VERSION}/ready"
INFER: Final = (f"{MODEL}/infer", f"{VERSION}/infer")


class ServerMetadata(BaseModel):
    """What the protocol has of a server."""

    name: str
    version: str
    extensions: list[str]


class Liveness(BaseModel):
    """Whether the server answers."""

    live: bool


class Readiness(BaseModel):
    """Whether the server, or a model, reads."""

    ready: bool


class ModelMetadata(BaseModel):
    """What the protocol has of a model."""

    name: str
    versions: list[str]
    platform: str
    inputs: list[dict[str, Any]]
    outputs: list[dict[str, Any]]


class KserveError(BaseModel):
    """What is answered instead."""

    error: str


NOT_READY: Final[Responses] = {
    503: {"model": Readiness | KserveError | ErrorAnswer, "description": "not ready yet"}
}
UNKNOWN: Final[Responses] = {
    404: {"model": KserveError | ErrorAnswer, "description": "no such model"}
}
REFUSED: Final[Responses] = {
    403: {"model": KserveError, "description": "not with this key"},
    503: {"model": KserveError | ErrorAnswer, "description": "it does not read"},
}


def refuse_metadata(problem: Problem, _: AccessRecord) -> JSONResponse:
    """Write a problem as the protocol has it."""
    return JSONResponse(
        {"error": str(problem)}, status_code=problem.status, headers=problem.headers
    )


def kserve_routes(pool: ModelPool) -> APIRouter:
    """Make the routes."""
    router = APIRouter(tags=["KServe"], responses=refused(KserveError))

    @router.get(SERVER, summary="The server's metadata, for clients of KServe")
    async def server() -> ServerMetadata:
        return ServerMetadata(name="ocrline", version=version("ocrline"), extensions=[])

    @router.get(LIVE, summary="Live, for clients of KServe")
    async def live() -> Liveness:
        return Liveness(live=True)

    @router.get(
        READY,
        summary="Ready, for clients of KServe",
        response_model=Readiness,
        responses=NOT_READY,
    )
    async def ready() -> JSONResponse:
        return _ready(not pool.why_not_ready())

    @router.get(VERSION, include_in_schema=False)
    @router.get(
        MODEL,
        summary="A model's metadata, for clients of KServe",
        responses=UNKNOWN | REFUSED,
    )
    async def model(name: Name, request: Request) -> ModelMetadata:
        request.state.caller.admit(name)
        served = _choose(pool, name, request)
        return ModelMetadata(
            name=served.name,
            versions=[served.version],
            platform=f"ocrline_{served.engine}",
            inputs=[{"name": "image", "datatype": "BYTES", "shape": [-1]}],
            outputs=[{"name": "text", "datatype": "BYTES", "shape": [-1]}],
        )

    @router.get(VERSION_READY, include_in_schema=False)
    @router.get(
        MODEL_READY,
        summary="Whether a model reads, for clients of KServe",
        response_model=Readiness,
        responses=UNKNOWN | NOT_READY,
    )
    async def model_ready(name: Name, request: Request) -> JSONResponse:
        try:
            _choose(pool, name, request)
        except Problem as problem:
            if problem.code != "not_ready":
                raise
            return _ready(False)
        return _ready(True)

    @router.post(INFER[1], include_in_schema=False)
    @router.post(INFER[0], include_in_schema=False)
    async def infer() -> None:
        message = "Tensors are not taken: POST the image itself to /v1/ocr or /v1/recognize"
        raise Problem("wrong_task", message)

    return router


def _choose(pool: ModelPool, name: str, request: Request) -> LiveModel:
    """Return the model, and the version if there is one, that a path names."""
    version = request.path_params.get("version", "")
    return pool.choose(name, version, of=request.state.caller.models)


def _ready(is_ready: bool) -> JSONResponse:
    if is_ready:
        return JSONResponse({"ready": True})
    return JSONResponse({"ready": False}, status_code=503, headers=SOON)
