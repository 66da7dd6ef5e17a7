"""The pages of many documents at once; the processes of `ocr.decoding` decode them.

- `page_feed` – pages for the engine, documents in fair turns
"""
