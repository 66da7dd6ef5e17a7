"""What POST /v1/ocr answers."""

from typing import Final

from pydantic import BaseModel, Field

from serving.rest.openapi import ItemError


class WordAnswer(BaseModel):
    """One word of a line: what white space parts."""

    text: str = Field(description="What it reads")
    confidence: float = Field(description="Mean probability of its characters, 0 to 1")
    polygon: list[tuple[float, float]] = Field(
        description="Four corners in pixels of the page, from the one where the line's begins"
    )


class LineAnswer(BaseModel):
    """One line of a page."""

    text: str = Field(description="What it reads")
    confidence: float = Field(description="Mean probability of its characters, 0 to 1")
    polygon: list[tuple[float, float]] = Field(
        description="Four corners in pixels of the page, clockwise from where reading begins"
    )
    words: list[WordAnswer] = Field([], description="In reading order; with words=true")


class PageAnswer(BaseModel):
    """One page."""

    page: int = Field(description="Its number, from 1")
    width: int = Field(description="In pixels; a PDF is drawn at 200 dpi, coarser if it is huge")
    height: int = Field(description="In pixels")
    rotation: int = Field(description="Degrees by which the page was turned to read it")
    lines: list[LineAnswer] = Field(description="In reading order")
    reread: int = Field(description="Lines that a cascade's second recogniser read")
    set_aside: list[LineAnswer] = Field(
        description="In reading order, what is rather no text, or none that can be read"
    )
    timings: dict[str, float] = Field(description="Seconds of each stage")
    annotated: str = Field("", description="Base64 JPEG with the lines drawn; with annotate=true")
    image: str = Field("", description="Base64 JPEG of the page as it was read; with render=true")


class UnreadPage(BaseModel):
    """A page that cannot be read; with partial=true."""

    page: int = Field(description="Its number, from 1")
    error: ItemError


class DocumentAnswer(BaseModel):
    """The lines of one document."""

    request_id: str = Field(description="The request's x-request-id, or a fresh one")
    model: str = Field(description="The model that answered")
    version: str = Field(description="The one version that read every page of this request")
    page_count: int = Field(description="How many pages the document has, read or not")
    pages: list[PageAnswer | UnreadPage]
    text: str = Field(description="All lines, one a row, an empty row between pages")


EXAMPLE: Final = {
    "request_id": "order-7",
    "model": "receipts",
    "version": "c2a41f9d7e05",
    "page_count": 1,
    "pages": [
        {
            "page": 1,
            "width": 640,
            "height": 480,
            "rotation": 0,
            "lines": [
                {
                    "text": "TOTAL 12.50",
                    "confidence": 0.98,
                    "polygon": [[40, 31], [212, 31], [212, 55], [40, 55]],
                }
            ],
            "reread": 0,
            "set_aside": [],
            "timings": {"decode_s": 0.004, "detect_s": 0.051, "recognise_s": 0.018},
        }
    ],
    "text": "TOTAL 12.50",
}
