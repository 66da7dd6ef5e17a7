"""PP-OCRv6's small recogniser, learnt on; what the two nets share is in `training.ppocr_v6`.

- `start` – what a training starts from: its weights, a head for a charset
- `graph` – its weights by name, and the characters of its classes
- `columns` – which of its classes stand for which character
- `net` – the net
- `attention` – the layers that only it has
- `NOTICE.txt` – what was changed, for every bundle made of it
"""
