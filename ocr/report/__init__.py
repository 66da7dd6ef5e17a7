"""The report of a candidate: one HTML file, and its short form in Markdown."""

from ocr.report.gallery import choose_lines
from ocr.report.html import render_html
from ocr.report.lineage import Lineage
from ocr.report.markdown import render_markdown
from ocr.report.page_gallery import choose_pages
from ocr.report.page_html import render_pages_html
from ocr.report.page_markdown import render_pages_markdown

__all__ = [
    "Lineage",
    "choose_lines",
    "choose_pages",
    "render_html",
    "render_markdown",
    "render_pages_html",
    "render_pages_markdown",
]
