"""Exports PP-OCR's recognisers untrained and compares their forms: python -m bench.families."""
