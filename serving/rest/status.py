"""What operators and probes ask: models, health, metrics, documentation."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST

from serving.metrics import ServingMetrics
from serving.models.model_pool import ModelPool
from serving.problems import Problem
from serving.web.docs_page import render_docs


def status_routes(pool: ModelPool, *, metrics: ServingMetrics) -> APIRouter:
    """Make the routes over a pool."""
    router = APIRouter()

    @router.get("/v1/models", summary="List the served models")
    async def models(request: Request) -> dict[str, Any]:
        allowed = request.state.caller.models
        told = [each for each in pool.describe() if not allowed or each["name"] in allowed]
        return {"models": told}

    @router.get("/health/live", summary="Whether the process answers")
    async def live() -> dict[str, Any]:
        return {"status": "alive"}

    @router.get(
        "/health/ready",
        summary="Whether requests should come here; 503 says why not, to who has the token",
        responses={503: {"description": "not ready yet"}},
    )
    async def ready(request: Request) -> JSONResponse:
        reason = pool.why_not_ready()
        status = {"status": "not ready" if reason else "ready"}
        caller = request.state.caller
        if caller and not caller.models:  # names of models and texts they read are no stranger's
            told = {"reason": reason, "warning": pool.warning}
            status.update({key: value for key, value in told.items() if value})
        return JSONResponse(status, status_code=503 if reason else 200)

    @router.get(
        "/metrics",
        summary="Metrics for Prometheus",
        response_class=Response,
        responses={403: {"description": "not with a key for some models"}},
    )
    async def read_metrics(request: Request) -> Response:
        caller = request.state.caller
        if caller.models:  # they name all of them
            raise Problem("forbidden", f"The key {caller.name} is for {', '.join(caller.models)}")
        return Response(metrics.render(), media_type=CONTENT_TYPE_LATEST)

    @router.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> HTMLResponse:
        return HTMLResponse(render_docs(request.app.openapi(), address=str(request.base_url)))

    return router
