"""POST /NAME/prediction, as Paddle Serving's pipelines answer it.

NAME is a model's; `ocr`, which PaddleOCR's clients ask, is the only model there is, or of several
the only one that reads pages, unless one has that name. The value is a Python literal, as its
clients evaluate it: of a page ``[[('text', score), [[x, y], …]], …]``, of a line ``['text']``.
It has room for one page: a document of several is refused.
"""

import asyncio
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, FailFast, Field

from serving.access.access_log import AccessRecord
from serving.access.callers import Caller
from serving.dialects.asking import Asking
from serving.models.live_model import LiveModel, LivePipeline
from serving.models.model_pool import ModelPool
from serving.problems import Problem
from serving.rest.body import from_base64, parse_json
from serving.rest.documents.request import DocumentOptions
from serving.rest.openapi import ONE_PART, problems

PREDICTION: Final = "/{name}/prediction"
ANY_NAME = "ocr"
NAME: Final = "Name of the model; ocr: the only one"
_ERROR_NUMBERS: Final = {404: 7, 500: 8, 503: 6, 504: 1}
_WRONG_INPUT = 9


class PipelineRequest(BaseModel):
    """What its HTTP proxy takes; tensors are refused, for theirs may be pickles."""

    model_config = ConfigDict(extra="ignore")

    key: Annotated[list[str], FailFast()] = []
    value: Annotated[list[str], FailFast()] = []
    tensors: list[Any] = []


class PipelineAnswer(BaseModel):
    """What it answers, refusals too."""

    err_no: int = Field(description="0: read; else what Paddle Serving numbers so")
    err_msg: str = Field(description="What is wrong, for a person")
    key: list[str] = Field(description="result and model_version")
    value: list[str] = Field(description="A Python literal of texts and scores; NAME:VERSION")
    tensors: list[Any] = Field(description="None, ever")


def error_number(status: int) -> int:
    """Return Paddle Serving's own: no service, unknown, closed, time-out; else wrong input."""
    return _ERROR_NUMBERS.get(status, _WRONG_INPUT)


def refuse_prediction(problem: Problem, _: AccessRecord) -> JSONResponse:
    """Write a problem as its clients expect one."""
    return JSONResponse(
        _answer(error_number(problem.status), str(problem), {}),
        status_code=problem.status,
        headers=problem.headers,
    )


def paddle_serving_routes(asking: Asking) -> APIRouter:
    """Make the route."""
    router = APIRouter(tags=["Paddle Serving"])

    @router.post(
        PREDICTION,
        summary="Read an image, for clients of Paddle Serving's pipelines",
        response_model=PipelineAnswer,
        responses=problems(PipelineAnswer),
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": PipelineRequest.model_json_schema()}},
            }
        },
    )
    async def predict(
        name: Annotated[str, Path(description=NAME, json_schema_extra=ONE_PART)],
        request: Request,
    ) -> JSONResponse:
        if request.query_params:
            raise Problem("bad_query", f"{request.url.path} takes no options; it names the model")
        async with asking.body(request) as body:
            image = await asyncio.to_thread(_find_image, body)
            live = _choose(asking.pool, name, request.state.caller)
            read = await _read(asking, live, image, request)
        values = {"result": repr(read), "model_version": f"{live.name}:{live.version}"}
        return JSONResponse(_answer(0, "", values))

    return router


def _choose(pool: ModelPool, name: str, caller: Caller) -> LiveModel:
    if name != ANY_NAME or name in pool.states:
        caller.admit(name)
        return pool.choose(name, of=caller.models)
    try:
        return pool.choose("", of=caller.models)
    except Problem as problem:
        if problem.code != "model_required":
            raise
        return pool.choose_pipeline("", of=caller.models)


def _find_image(body: bytes) -> bytes:
    asked = parse_json(body, PipelineRequest)
    if asked.tensors:
        raise Problem("wrong_fields", "tensors are not taken; send an image in base64")
    if len(asked.key) != len(asked.value):
        raise Problem("wrong_fields", f"{len(asked.key)} keys, {len(asked.value)} values")
    if [key for key in asked.key if key.startswith("image")] != ["image"]:
        raise Problem("wrong_fields", 'Expected one {"key": ["image"], "value": ["<base64>"]}')
    return from_base64(asked.value[asked.key.index("image")], what="The image")


async def _read(asking: Asking, live: LiveModel, image: bytes, request: Request) -> list[Any]:
    if not isinstance(live, LivePipeline):
        return [(await asking.read_line(live, image, request))["text"]]
    (page,) = await asking.read_pages(live, image, DocumentOptions(), request, max_pages=1)
    return [
        [(line["text"], line["confidence"]), [list(corner) for corner in line["polygon"]]]
        for line in page["lines"]
    ]


def _answer(number: int, message: str, values: dict[str, str]) -> dict[str, Any]:
    return {
        "err_no": number,
        "err_msg": message,
        "key": list(values),
        "value": list(values.values()),
        "tensors": [],
    }
