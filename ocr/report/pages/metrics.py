"""How the metrics of pages are shown."""

from ocr.report.tables import Metric

METRICS = {
    "e2e_hmean": Metric(
        "End-to-end Hmean", "found and read, but for case and spaces; the gate’s metric"
    ),
    "e2e_precision": Metric("End-to-end precision", "of the boxes"),
    "e2e_recall": Metric("End-to-end recall", "of the labelled lines"),
    "e2e_hmean_exact": Metric("End-to-end Hmean, exact", "case and spaces count"),
    "e2e_ned": Metric(
        "End-to-end 1-NED", "mean similarity of texts; missed and false lines count 0"
    ),
    "hmean": Metric("Detection Hmean", "IoU above 0.5, PaddleOCR’s score"),
    "precision": Metric("Detection precision", "of the boxes"),
    "recall": Metric("Detection recall", "of the labelled regions"),
    "hmean_optimal": Metric("Detection Hmean, best matching", "instead of PaddleOCR’s greedy one"),
}
