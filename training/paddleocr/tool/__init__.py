"""One of PaddleOCR's tools at work in its own interpreter, watched from here.

- `process` – started, listened to, and ended when it must be
- `log` – what it says, kept within bounds
- `said` – what a line of that says
"""
