"""Whole pages laid out from templates, with the place of every text."""

from ocr.synthesis.pages.render import (
    PageKind,
    PageSynthesis,
    RenderedPage,
    open_page_synthesis,
)

__all__ = ["PageKind", "PageSynthesis", "RenderedPage", "open_page_synthesis"]
