"""Recognisers and page readers off the shelf: what a model of our own must be better than.

1. `rapidocr` – PP-OCR's weights out of a package: lines and pages, without a network;
   `rapidocr_engine` loads them.
2. `tesseract` – the program of this machine on lines; `tesseract_pages`: on pages.
3. `stock_paddle` – PaddleOCR's own recogniser, in a process of its own.
4. `filtered` – any recogniser, kept to the characters of the labels; `rewritten`: pages.
"""

from ocr.reading.baselines.filtered import FilteredRecogniser, WrittenAsLabels
from ocr.reading.baselines.rapidocr import RapidOcrPages, RapidOcrRecogniser
from ocr.reading.baselines.rewritten import RewrittenPages
from ocr.reading.baselines.stock_paddle import StockPaddleRecogniser
from ocr.reading.baselines.tesseract import TesseractRecogniser
from ocr.reading.baselines.tesseract_pages import TesseractPages

__all__ = [
    "FilteredRecogniser",
    "RapidOcrPages",
    "RapidOcrRecogniser",
    "RewrittenPages",
    "StockPaddleRecogniser",
    "TesseractPages",
    "TesseractRecogniser",
    "WrittenAsLabels",
]
