"""Recognisers off the shelf: what a model of our own must be better than."""

from ocr.baselines.filtered import FilteredRecogniser
from ocr.baselines.rapidocr import RapidOcrRecogniser
from ocr.baselines.stock_paddle import StockPaddleRecogniser
from ocr.baselines.tesseract import TesseractRecogniser

__all__ = [
    "FilteredRecogniser",
    "RapidOcrRecogniser",
    "StockPaddleRecogniser",
    "TesseractRecogniser",
]
