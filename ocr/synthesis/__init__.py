"""Text lines rendered from templates, with the place of every character."""

from ocr.synthesis.font_set import find_cjk_font
from ocr.synthesis.fonts import find_fonts, font_fingerprint
from ocr.synthesis.lines.render import RenderedLine, Synthesis, open_synthesis, render_lines

__all__ = [
    "RenderedLine",
    "Synthesis",
    "find_cjk_font",
    "find_fonts",
    "font_fingerprint",
    "open_synthesis",
    "render_lines",
]
