"""The ocrline command."""
