"""Prefect flows: what is chained with what; each stage finds what the same inputs gave before.

- `retrain_lines` – labelled lines to a recogniser that answers
- `retrain_pages` – labelled pages to a detector and a recogniser that answer as one pipeline
- `stages` – the names of the stages, and how a flow stops after one
"""
