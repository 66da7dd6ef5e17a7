"""How well lines and pages are read, and how surely we know it.

What both kinds share stands here; `lines` and `pages` have files of the same names:

1. `ratio` – a metric as a ratio of sums over samples.
2. `bootstrap` – confidence bounds by resampling documents, Wilson's for few samples.
3. `held_out` – choices by which no sample flatters itself.
4. `comparison` – the change from opponent to candidate, with bounds and tests.
5. `slices` – parts of a test that can hide behind a good average.
6. `confusion` – which characters are read as which others.
7. `latency` – how long candidate and opponent take, side by side.
8. `int8` – what a net in 8 bits costs and saves.
9. `report` – what every evaluation found; the store keeps it as JSON.
10. `elsewhere` – what a system that is no version here read of the test; `saved_results`:
    by PaddleOCR 3.
11. `lines` – recognisers on lines; `pages`: detectors alone, and whole readers, on pages.
12. `suspects` – labels that are probably wrong.
"""
