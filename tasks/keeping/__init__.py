"""Beside the stages: what is kept.

- `prune` – what nobody needs any more, shown or removed
"""
