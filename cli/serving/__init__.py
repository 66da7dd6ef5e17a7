"""Serving from the terminal.

- `serve` – `ocrline serve` and `ocrline stop`
- `keys` – `ocrline keys`: who may ask the gateway
"""
