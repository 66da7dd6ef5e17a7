"""How versions are measured: beside an opponent, on further sets, on labels; which batch fits.

- `baseline` – who stands in for a champion
- `elsewhere` – what a system that is no version here read: a file that stands in for one
- `found` – an evaluation is found under the digest of its inputs, or measured and kept
- `readings` – what one reader makes of a test set, alone: read once, and found from then on
- `further` – further sets, by each version alone
- `labels` – one model on one label file
- `batch` – a training begun with several batch sizes, to find the one to use
"""
