"""The report of a candidate: one HTML file, and its short form in Markdown."""

from ocr.report.lineage import Lineage, describe_lineage, describe_part
from ocr.report.lines.gallery import choose_lines
from ocr.report.lines.html import render_lines_html
from ocr.report.lines.markdown import render_lines_markdown
from ocr.report.pages.gallery import choose_pages
from ocr.report.pages.html import render_pages_html
from ocr.report.pages.markdown import render_pages_markdown

__all__ = [
    "Lineage",
    "choose_lines",
    "choose_pages",
    "describe_lineage",
    "describe_part",
    "render_lines_html",
    "render_lines_markdown",
    "render_pages_html",
    "render_pages_markdown",
]
