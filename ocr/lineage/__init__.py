"""What became of every version: what it was made of, how it was judged, when it was champion.

1. `ancestry` – one version down to its data and code, as far as the store knows.
2. `data` – what a snapshot was made of, and in what two of them differ.
3. `decision` – what the gate said of a version, kept for good.
4. `evaluations` – what versions read, and two of them paired.
5. `history` – all versions of a model, one after another, and the trend of their metrics.
6. `page` – that as HTML.
7. `comparison` – two versions beside each other, paired where both read the same samples.
8. `documents` – where the store has one, and what was made of it.
9. `erasure` – removes all that.
"""
