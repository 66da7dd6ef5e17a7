"""PP-OCRv6's small nets, learnt on from the weights that a package carries: what both share.

- `wheel` – the files of the package, found and checked
- `graph` – the ONNX graph in one: weights by name, and what of it is not learnt, ready to run
- `layers` – the layers of the nets
- `backbone` – the stem and the blocks that both begin with
- `notice` – what the license wants to be said by every bundle made of one
- `APACHE-2.0.txt` – that license
"""
