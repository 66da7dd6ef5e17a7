"""The gateway beside the bare models, and beside the checkpoint.

- `load` – asks and counts
- `untrained_bundle` – what is served without a model of yours
- `checkpoint` – how many images the gateway reads as the net that was trained does
"""
