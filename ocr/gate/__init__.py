"""The gate: whether a candidate may replace the champion.

1. `judge` – the decision, and how many samples would decide what is undecided.
2. `checks` – the rules, one by one.
3. `further` – those of further test sets.
4. `rules` – the numbers that they compare with.
5. `evidence` – what an evaluation of lines, or of pages, says of a candidate.
6. `overlap` – what of the test the opponent was trained on.
7. `words` – how reasons are worded.
8. `approval` – what a person answered to what the gate let through.
"""
