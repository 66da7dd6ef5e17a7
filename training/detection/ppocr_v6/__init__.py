"""PP-OCRv6's small detector, learnt on; what the two nets share is in `training.ppocr_v6`.

- `start` – what a training starts from: its weights, for grey pages
- `net` – the net, and its weights' names in the order of the graph
- `NOTICE.txt` – what was changed, for every bundle made of it
"""
