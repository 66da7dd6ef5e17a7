"""Recognisers and page readers off the shelf: what a model of our own must be better than."""

from ocr.reading.baselines.filtered import FilteredRecogniser
from ocr.reading.baselines.rapidocr import RapidOcrPages, RapidOcrRecogniser
from ocr.reading.baselines.stock_paddle import StockPaddleRecogniser
from ocr.reading.baselines.tesseract import TesseractRecogniser
from ocr.reading.baselines.tesseract_pages import TesseractPages

__all__ = [
    "FilteredRecogniser",
    "RapidOcrPages",
    "RapidOcrRecogniser",
    "StockPaddleRecogniser",
    "TesseractPages",
    "TesseractRecogniser",
]
