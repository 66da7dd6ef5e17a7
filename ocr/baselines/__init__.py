"""Recognisers and page readers off the shelf: what a model of our own must be better than."""

from ocr.baselines.filtered import FilteredRecogniser
from ocr.baselines.rapidocr import RapidOcrPages, RapidOcrRecogniser
from ocr.baselines.stock_paddle import StockPaddleRecogniser
from ocr.baselines.tesseract import TesseractRecogniser
from ocr.baselines.tesseract_pages import TesseractPages

__all__ = [
    "FilteredRecogniser",
    "RapidOcrPages",
    "RapidOcrRecogniser",
    "StockPaddleRecogniser",
    "TesseractPages",
    "TesseractRecogniser",
]
