"""The gateway beside the bare models, and beside the checkpoint.

- `gateway` – the gateway that is measured, and `process_tree` what it takes; `load` asks and counts
- `peers/` – the same beside Paddle Serving's own server and PaddleX's
- `designs/` – the same beside other ways to share the work, stripped to HTTP and batches
- `mixed` – pages and crops at once
- `soak/` – the same for a long time: does it answer all, and does it grow?
- `faults/` – the same while something goes wrong
- `served_model` – what those two serve; `load_generator/` – what asks meanwhile
- `raw_client` – a client that speaks HTTP as slowly and as greedily as one wants
- `untrained_bundle` – what is served without a model of yours
- `checkpoint` – how many images the gateway reads as the net that was trained does
"""
