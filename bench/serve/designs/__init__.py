"""Which process takes requests and which one reads: each way, stripped to HTTP and batches.

- `stripped` – a server of each way, without all that a gateway is for
"""
