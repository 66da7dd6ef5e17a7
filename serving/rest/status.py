"""What operators, probes and clients ask first: models, limits, health, metrics, docs."""

from collections.abc import Collection
from importlib.metadata import version
from typing import Any, Final, get_args

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from serving.metrics import ServingMetrics
from serving.models.live_model import LivePipeline
from serving.models.model_pool import ModelPool
from serving.problems import SOON, Problem
from serving.rest.body import Limits
from serving.rest.documents.request import Format
from serving.rest.openapi import SERVER, ErrorAnswer, refused
from serving.web.docs_page import DocsPage

IMAGES: Final = ("JPEG", "PNG", "WebP", "TIFF", "BMP", "GIF", "PPM")


class State(BaseModel):
    """Whether requests should come here."""

    status: str = Field(description="ready or not ready")
    reason: str | SkipJsonSchema[None] = Field(None, description="To who has the token")
    warning: str | SkipJsonSchema[None] = Field(None, description="The same")


class Reads(BaseModel):
    """What one model reads."""

    name: str
    version: str
    reads: list[str] = Field(description="lines (/v1/recognize), pages (/v1/ocr)")


class ServedModel(BaseModel):
    """What is known of one model; null where no version of it answers yet."""

    name: str
    version: str | None = Field(description="The one that answers")
    alias: str
    champion: str = Field(description="The version that should answer")
    task: str | None = Field(description="recognition, or pipeline: it reads pages too")
    engine: str | None
    loaded_at: str | None = Field(description="Since when it answers, ISO 8601")
    dataset_digest: str | None = Field(description="Of the snapshot that it learnt from")
    metrics: dict[str, float] = Field(description="As its bundle has them")
    last_error: str | None = Field(description="Why the champion does not answer")
    is_refused: bool = Field(description="Whether that is for good")


class ModelsAnswer(BaseModel):
    """All that are served, of those that who asks may know of."""

    models: list[ServedModel]


class RequestLimits(BaseModel):
    """How much one request may ask for, of `serving.rest.body.Limits`."""

    model_config = ConfigDict(from_attributes=True)

    body_bytes: int
    body_timeout_s: float = Field(description="Most seconds until the body is here")
    images: int = Field(description="Of /v1/recognize")
    image_pixels: int = Field(description="Of one image")
    images_pixels: int = Field(
        validation_alias="request_pixels", description="Of all images together"
    )
    pages: int = Field(description="Of /v1/ocr")
    timeout_s: float = Field(
        validation_alias="pages_timeout_s", description="Most seconds until the answer of /v1/ocr"
    )


class Capabilities(BaseModel):
    """What may be asked here, by who asks."""

    server: str
    models: list[Reads] = Field(description="Those that answer now")
    only: list[str] | None = Field(
        description="Names that can be served here at all, of those the key is for; null: any"
    )
    documents: list[str] = Field(description="What /v1/ocr takes; the content says which it is")
    images: list[str] = Field(description="What /v1/recognize takes")
    formats: list[str] = Field(description="What /v1/ocr answers with")
    addresses: bool = Field(description="Whether an address may stand in place of a file")
    limits: RequestLimits
    key: dict[str, Any] = Field(description="Of who asks; 0 a minute: any number")


def status_routes(pool: ModelPool, *, limits: Limits, metrics: ServingMetrics) -> APIRouter:
    """Make the routes over a pool."""
    router = APIRouter(tags=[SERVER], responses=refused(ErrorAnswer))

    @router.get("/v1/capabilities", summary="What can be asked here, and how much at once")
    async def capabilities(request: Request) -> Capabilities:
        caller = request.state.caller
        return Capabilities(
            server=f"ocrline {version('ocrline')}",
            models=_reads(pool, caller.models),
            only=_only(pool.named, caller.models),
            documents=["PDF", *IMAGES],
            images=list(IMAGES),
            formats=list(get_args(Format)),
            addresses=False,
            limits=RequestLimits.model_validate(limits),
            key=caller.describe(),
        )

    @router.get("/v1/models", summary="List the served models")
    async def models(request: Request) -> ModelsAnswer:
        allowed = request.state.caller.models
        told = [each for each in pool.describe() if not allowed or each["name"] in allowed]
        return ModelsAnswer.model_validate({"models": told})

    @router.get("/health/live", summary="Whether the process answers")
    async def live() -> dict[str, Any]:
        return {"status": "alive"}

    @router.get(
        "/health/ready",
        summary="Whether requests should come here; 503 says why not, to who has the token",
        response_model=State,
        responses={503: {"model": State | ErrorAnswer, "description": "not ready yet"}},
    )
    async def ready(request: Request) -> JSONResponse:
        reason = pool.why_not_ready()
        status = {"status": "not ready" if reason else "ready"}
        caller = request.state.caller
        if caller and not caller.models:  # names of models and texts they read are no stranger's
            told = {"reason": reason, "warning": pool.warning}
            status.update({key: value for key, value in told.items() if value})
        if reason:
            return JSONResponse(status, status_code=503, headers=SOON)
        return JSONResponse(status)

    @router.get(
        "/metrics",
        summary="Metrics for Prometheus",
        response_class=Response,
        responses={
            200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
            403: {"model": ErrorAnswer, "description": "not with a key for some models"},
        },
    )
    async def read_metrics(request: Request) -> Response:
        caller = request.state.caller
        if caller.models:  # they name all of them
            raise Problem("forbidden", f"The key {caller.name} is for {', '.join(caller.models)}")
        return Response(metrics.render(), media_type=CONTENT_TYPE_LATEST)

    page = DocsPage()

    @router.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> HTMLResponse:
        return HTMLResponse(page.show(request.app.openapi, address=str(request.base_url)))

    return router


def _only(named: Collection[str], allowed: Collection[str]) -> list[str] | None:
    if not named:
        return list(allowed) or None
    return [name for name in named if not allowed or name in allowed]


def _reads(pool: ModelPool, allowed: Collection[str]) -> list[Reads]:
    served = [state.answers for _, state in sorted(pool.states.items())]
    return [
        Reads(
            name=live.name,
            version=live.version,
            reads=["pages", "lines"] if isinstance(live, LivePipeline) else ["lines"],
        )
        for live in served
        if live and (not allowed or live.name in allowed)
    ]
