"""The gate's judgement of what was evaluated, and the report that a person reads of it.

- `lines`, `pages` – a task each: evidence, decision, report
- `further` – what was read of further test sets
- `conclusion` – how both end: the report is kept, the verdict said
- `latency` – how long candidate and opponent take now
- `nets` – of which trained nets a version is
- `rolled_back` – whether a person took the candidate back
- `overlap` – whether the opponent was trained on the test
"""
