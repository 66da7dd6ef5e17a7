"""Beside the stages: what is kept, and what is not.

- `prune` – what nobody needs any more, shown or removed
- `erase` – documents that somebody wants erased
- `history` – each retraining a run in MLflow, written while its next stage goes on
- `record` – what MLflow is told of a retraining, as far as it has come
- `tracking` – the process that tells it: all that knows MLflow
"""
