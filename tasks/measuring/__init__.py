"""How an evaluation is found again or made, and how further test sets are read.

- `baseline` – who stands in for a champion
- `found` – an evaluation is found under the digest of its inputs, or measured and kept
- `further` – further sets, by each version alone
"""
