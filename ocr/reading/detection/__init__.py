"""Text detection: pages to boxes, equal to stock PaddleOCR's DB detector to the last pixel."""
