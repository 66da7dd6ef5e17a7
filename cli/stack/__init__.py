"""The local stack from the terminal.

- `up` – `ocrline up`: everything that a machine runs, started
- `down` – `ocrline down`: all of it stopped, runs first
- `status` – `ocrline status`: what is up, what runs and waits, which versions answer
- `shown` – the stack as tables
"""
