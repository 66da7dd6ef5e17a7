"""The weights that a training starts from: they come from outside, and nothing of them is run.

- `fetching` – a file or an address, proved by SHA-256
- `fitting`, `fit_tool` – what of them the net can take, found in the foreign process
"""
