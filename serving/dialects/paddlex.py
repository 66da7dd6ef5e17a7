"""POST /ocr, as PaddleOCR 3's and PaddleX's servers answer it.

What this gateway does not do (document orientation, unwarping, orientation of lines, boxes of
words) and other thresholds than the model's own are refused, not ignored.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from ocr.image.pdf import is_pdf
from serving.access.access_log import AccessRecord
from serving.dialects.asking import Asking
from serving.models.live_model import LivePipeline
from serving.problems import Problem
from serving.rest.body import from_base64, parse_json
from serving.rest.documents.request import DocumentOptions
from serving.rest.documents.routes import NAMES_READER, name_reader
from serving.rest.openapi import ErrorAnswer, problems, refused

OCR: Final = "/ocr"
MODEL: Final = "Name of the pipeline; needed when several are served"
MOST_PAGES: Final = 10
"""Which PaddleX reads; the rest it leaves silently."""
TIFF: Final = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
UNPROCESSABLE: Final = 422


class OcrRequest(BaseModel):
    """What PaddleX's `ocr.InferRequest` has; other fields are left out."""

    model_config = ConfigDict(extra="ignore")

    file: str = Field(description="An image or a PDF in base64; no address")
    fileType: Literal[0, 1] | None = Field(None, description="0: PDF, 1: image")  # noqa: N815
    useDocOrientationClassify: bool | None = None  # noqa: N815
    useDocUnwarping: bool | None = None  # noqa: N815
    useTextlineOrientation: bool | None = None  # noqa: N815
    textDetLimitSideLen: int | None = None  # noqa: N815
    textDetLimitType: str | None = None  # noqa: N815
    textDetThresh: float | None = None  # noqa: N815
    textDetBoxThresh: float | None = None  # noqa: N815
    textDetUnclipRatio: float | None = None  # noqa: N815
    textRecScoreThresh: float | None = Field(  # noqa: N815
        None, ge=0, le=1, description="Least confidence of a line; by default the pipeline's own"
    )
    returnWordBox: bool | None = None  # noqa: N815
    visualize: bool | None = None
    logId: str | None = Field(None, max_length=128)  # noqa: N815


class OcrStatus(BaseModel):
    """What PaddleX's servers answer when they read nothing."""

    logId: str = Field(description="The request's, or a fresh one")  # noqa: N815
    errorCode: int = Field(description="0, or the HTTP status")  # noqa: N815
    errorMsg: str = Field(description="What is wrong, for a person")  # noqa: N815


class OcrPage(BaseModel):
    """What PaddleX's `OCRResult` has of a page."""

    prunedResult: dict[str, Any] = Field(  # noqa: N815
        description="rec_texts, rec_scores, rec_polys, rec_boxes, dt_polys and how they were found"
    )
    ocrImage: str | SkipJsonSchema[None] = Field(  # noqa: N815
        None, description="Base64 JPEG with the lines drawn, unless visualize is false"
    )
    inputImage: str | SkipJsonSchema[None] = Field(  # noqa: N815
        None, description="Base64 JPEG of the page as it was read, unless visualize is false"
    )


class OcrResult(BaseModel):
    """The pages of one document."""

    ocrResults: list[OcrPage]  # noqa: N815
    dataInfo: dict[str, Any] = Field(description="Kind and sizes of the document")  # noqa: N815


class OcrAnswer(OcrStatus):
    """What they answer when they read something."""

    result: OcrResult


class PageOptions(DocumentOptions):
    """What is wanted of a page, which other lines than the pipeline's own among it."""

    min_confidence: float

    @property
    def wanted(self) -> Mapping[str, float]:
        """What is wanted of each page."""
        return {**super().wanted, "min_confidence": self.min_confidence}


ABSENT = ("useDocOrientationClassify", "useDocUnwarping", "useTextlineOrientation", "returnWordBox")
DETECTOR = {
    "textDetLimitSideLen": "limit_side_len",
    "textDetLimitType": "limit_type",
    "textDetThresh": "thresh",
    "textDetBoxThresh": "box_thresh",
    "textDetUnclipRatio": "unclip_ratio",
}


def refuse_ocr(problem: Problem, record: AccessRecord) -> JSONResponse:
    """Write a problem as its clients expect one."""
    message = str(problem)
    if problem.status == UNPROCESSABLE:
        field, _, _ = message.partition(":")
        where = ["body", field] if field in OcrRequest.model_fields else ["body"]
        message = json.dumps([{"type": problem.code, "loc": where, "msg": message}])
    return JSONResponse(
        {"logId": _log_id(record), "errorCode": problem.status, "errorMsg": message},
        status_code=problem.status,
        headers=problem.headers,
    )


def paddlex_routes(asking: Asking) -> APIRouter:
    """Make the routes."""
    router = APIRouter(tags=["PaddleX"])

    @router.get(
        "/health",
        summary="Live, for clients of PaddleX",
        responses=refused(ErrorAnswer),
    )
    async def health(request: Request) -> OcrStatus:
        log_id = _log_id(request.state.record)
        return OcrStatus(logId=log_id, errorCode=0, errorMsg="Healthy")

    @router.post(
        OCR,
        summary="Read a document, for clients of PaddleOCR 3's and PaddleX's servers",
        response_model=OcrAnswer,
        responses={200: {"headers": NAMES_READER}, **problems(OcrStatus)},
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": OcrRequest.model_json_schema()}},
            }
        },
    )
    async def infer(
        request: Request, model: Annotated[str, Query(description=MODEL)] = ""
    ) -> JSONResponse:
        record = request.state.record
        async with asking.body(request) as body:
            asked = await asyncio.to_thread(parse_json, body, OcrRequest)
            record.log_id = asked.logId or ""
            caller = request.state.caller
            caller.admit(model)
            live = asking.pool.choose_pipeline(model, of=caller.models)
            result = await _read(asking, live, asked, request)
        status = {"errorCode": 0, "errorMsg": "Success"}
        answer = {"logId": _log_id(record), "result": result, **status}
        return JSONResponse(answer, headers=name_reader(live))

    return router


async def _read(
    asking: Asking, live: LivePipeline, asked: OcrRequest, request: Request
) -> dict[str, Any]:
    params = _detector_params(live)
    _check(asked, params)
    content = await asyncio.to_thread(_find_content, asked)
    most = asking.reader.limits.pages
    wanted = f"1-{MOST_PAGES}" if most >= MOST_PAGES else ""  # all: more than may be are refused
    shows = asked.visualize is not False
    threshold = asked.textRecScoreThresh
    if threshold is None:
        threshold = live.manifest.min_confidence or 0.0
    options = PageOptions(pages=wanted, annotate=shows, render=shows, min_confidence=threshold)
    pages = await asking.read_pages(live, content, options, request, max_pages=most)
    results = [
        {"prunedResult": _prune(page, params, threshold)}
        | ({"ocrImage": page["annotated"], "inputImage": page["image"]} if shows else {})
        for page in pages
    ]
    return {"ocrResults": results, "dataInfo": _describe(content, pages)}


def _find_content(asked: OcrRequest) -> bytes:
    if asked.file.startswith(("http://", "https://")):
        raise Problem("wrong_fields", "file: addresses are not fetched; send the file in base64")
    if asked.fileType is None:
        raise Problem("wrong_fields", "fileType: expected 0 (PDF) or 1 (image)")
    content = from_base64(asked.file, what="file")
    if is_pdf(content) != (asked.fileType == 0):
        raise Problem("wrong_fields", f"fileType: {asked.fileType} is not what the file is")
    return content


def _check(asked: OcrRequest, params: dict[str, Any]) -> None:
    for name in ABSENT:
        if getattr(asked, name):
            raise Problem("wrong_fields", f"{name}: not done by this server; leave it out")
    for name, param in DETECTOR.items():
        value = getattr(asked, name)
        if value not in (None, params[param]):
            raise Problem("wrong_fields", f"{name}: {value} is not the model's {params[param]}")


def _detector_params(live: LivePipeline) -> dict[str, Any]:
    spec, rule = live.detector.input, live.detector.boxes
    return {
        "limit_side_len": spec.long_side_px,
        "limit_type": "max",
        "thresh": rule.threshold,
        "max_side_limit": spec.long_side_px,
        "box_thresh": rule.box_threshold,
        "unclip_ratio": rule.unclip_ratio,
    }


def _prune(page: dict[str, Any], params: dict[str, Any], threshold: float) -> dict[str, Any]:
    """Return a page as PaddleX's result, without the keys that it removes."""
    lines = page["lines"]
    polygons, aside = (
        [[[round(x), round(y)] for x, y in line["polygon"]] for line in found]
        for found in (lines, page["set_aside"])
    )
    return {
        "model_settings": {"use_doc_preprocessor": False, "use_textline_orientation": False},
        "dt_polys": polygons + aside,
        "text_det_params": params,
        "text_type": "general",
        "textline_orientation_angles": [-1] * len(polygons + aside),
        "text_rec_score_thresh": threshold,
        "return_word_box": False,
        "rec_texts": [line["text"] for line in lines],
        "rec_scores": [line["confidence"] for line in lines],
        "rec_polys": polygons,
        "rec_boxes": [
            [min(xs), min(ys), max(xs), max(ys)]
            for xs, ys in (tuple(zip(*polygon, strict=True)) for polygon in polygons)
        ],
    }


def _describe(content: bytes, pages: list[dict[str, Any]]) -> dict[str, Any]:
    sizes = [{"width": page["width"], "height": page["height"]} for page in pages]
    if is_pdf(content) or content.startswith(TIFF):
        kind = "pdf" if is_pdf(content) else "tiff"
        return {"type": kind, "numPages": len(pages), "pages": sizes}
    return {"type": "image", **sizes[0]}


def _log_id(record: AccessRecord) -> str:
    return record.log_id or record.request_id
