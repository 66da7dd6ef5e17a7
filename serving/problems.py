"""What a client gets instead of an answer: one code, one HTTP status each, never a trace."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from fastapi.responses import JSONResponse

from ocr.errors import OcrError

Code = Literal[
    "bad_base64",
    "bad_json",
    "bad_multipart",
    "bad_query",
    "bad_request",
    "empty_body",
    "model_required",
    "unauthorized",
    "cross_site",
    "forbidden",
    "not_found",
    "unknown_model",
    "unknown_page",
    "unknown_version",
    "method_not_allowed",
    "body_timeout",
    "headers_timeout",
    "answer_too_large",
    "body_too_large",
    "image_too_large",
    "too_many_images",
    "too_many_pages",
    "url_too_long",
    "unsupported_type",
    "unknown_host",
    "bad_document",
    "bad_image",
    "encrypted_pdf",
    "too_slow",
    "wrong_fields",
    "wrong_task",
    "rate_limited",
    "headers_too_large",
    "internal",
    "busy",
    "not_ready",
    "too_many_connections",
    "expired",
]

STATUS: Final[Mapping[Code, int]] = {
    "bad_base64": 400,
    "bad_json": 400,
    "bad_multipart": 400,
    "bad_query": 400,
    "bad_request": 400,
    "empty_body": 400,
    "model_required": 400,
    "unauthorized": 401,
    "cross_site": 403,
    "forbidden": 403,
    "not_found": 404,
    "unknown_model": 404,
    "unknown_page": 404,
    "unknown_version": 404,
    "method_not_allowed": 405,
    "body_timeout": 408,
    "headers_timeout": 408,
    "answer_too_large": 413,
    "body_too_large": 413,
    "image_too_large": 413,
    "too_many_images": 413,
    "too_many_pages": 413,
    "url_too_long": 414,
    "unsupported_type": 415,
    "unknown_host": 421,
    "bad_document": 422,
    "bad_image": 422,
    "encrypted_pdf": 422,
    "too_slow": 422,
    "wrong_fields": 422,
    "wrong_task": 422,
    "rate_limited": 429,
    "headers_too_large": 431,
    "internal": 500,
    "busy": 503,
    "not_ready": 503,
    "too_many_connections": 503,
    "expired": 504,
}

SOON: Final = {"Retry-After": "1"}
"""A header: what is not ready now may be in a second."""


class Problem(OcrError):
    """A request that gets an error; `index` is the image or page it is about, counted from 0."""

    def __init__(
        self, code: Code, message: str, *, index: int | None = None, retry_after_s: int = 1
    ) -> None:
        super().__init__(message)
        self.code: Code = code
        self.index = index
        self._retry_after_s = retry_after_s

    @property
    def status(self) -> int:
        """Its HTTP status."""
        return STATUS[self.code]

    @property
    def headers(self) -> dict[str, str]:
        """What the HTTP response says besides."""
        if self.code == "unauthorized":
            return {"WWW-Authenticate": "Bearer"}
        if self.status in (429, 503):
            return {"Retry-After": str(self._retry_after_s)}
        return {}


def error_of(problem: Problem) -> dict[str, Any]:
    """Return what an answer says of a problem with one of its items."""
    return {"code": problem.code, "message": str(problem)}


def problem_response(problem: Problem, *, request_id: str) -> JSONResponse:
    """Write a problem as its HTTP response."""
    answer = answer_of(problem, request_id=request_id)
    return JSONResponse(answer, status_code=problem.status, headers=problem.headers)


def answer_of(problem: Problem, *, request_id: str) -> dict[str, Any]:
    """Return what the body of an answer says of a problem."""
    error = {**error_of(problem), "request_id": request_id}
    return {"error": error if problem.index is None else {**error, "index": problem.index}}


def lost_engine(loss: Exception) -> Problem:
    """Make the refusal of a request whose engine is being replaced."""
    return Problem("not_ready", f"{loss}; it is replaced, ask again")


def cut_off() -> Problem:
    """Make the refusal of a request that was inside when the gateway's time to finish was over."""
    return Problem("not_ready", "The gateway is stopping; ask again")
