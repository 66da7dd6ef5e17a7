"""What a person asks of the machine that is to train.

- `find_batch` – how large a batch it takes
"""
