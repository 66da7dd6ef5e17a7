"""PP-OCRv6's small recogniser, learnt on from the weights that a package carries.

- `start` – what a training starts from: its weights, a head for a charset
- `wheel` – the file of the package, found and checked
- `graph` – the ONNX graph in it: weights by name, and what of it is not learnt, ready to run
- `columns` – which of its classes stand for which character
- `net` – the net
- `layers` – its layers
- `NOTICE.txt` – what its license wants to be said by every bundle made of it
"""
