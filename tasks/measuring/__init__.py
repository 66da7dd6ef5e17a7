"""How an evaluation is found again or made, how further sets are read, and which batch fits.

- `baseline` – who stands in for a champion
- `found` – an evaluation is found under the digest of its inputs, or measured and kept
- `further` – further sets, by each version alone
- `batch` – a training begun with several batch sizes, to find the one to use
"""
