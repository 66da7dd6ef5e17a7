"""The weights that a training starts from: they may come from outside, and nothing of them is run.

- `fetching` – a file or an address, proved by SHA-256
- `registered` – a version of the registry, with its characters
- `dictionary` – the characters of a file from elsewhere
- `fitting`, `fit_tool` – what of them the net can take, found in the foreign process
"""
