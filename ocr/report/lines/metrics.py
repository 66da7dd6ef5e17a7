"""How the metrics of lines are shown."""

from ocr.report.tables import Metric

METRICS = {
    "accuracy": Metric("Accuracy", "exact match"),
    "accuracy_nfc": Metric("Accuracy, NFC", "exact match after Unicode normalisation"),
    "accuracy_spaceless": Metric("Accuracy without spaces", "PaddleOCR’s acc"),
    "accuracy_without_first": Metric("Accuracy without the first character", "and without spaces"),
    "ned": Metric("1-NED", "mean of 1 − edit distance / length, PaddleOCR’s norm_edit_dis"),
    "ned_without_first": Metric("1-NED without the first character", ""),
    "cer": Metric("CER", "edits / characters, less is better; a scale of its own", is_error=True),
}
