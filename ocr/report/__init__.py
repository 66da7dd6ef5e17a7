"""The report of a candidate: one HTML file, and its short form in Markdown."""

from ocr.report.gallery import choose_lines
from ocr.report.html import render_html
from ocr.report.lineage import Lineage
from ocr.report.markdown import render_markdown

__all__ = ["Lineage", "choose_lines", "render_html", "render_markdown"]
