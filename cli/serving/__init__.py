"""Serving from the terminal.

- `serve` – `ocrline serve`
- `keys` – `ocrline keys`: who may ask the gateway
"""
