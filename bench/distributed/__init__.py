"""Trainings on several ranks beside one, by both engines: python -m bench.distributed.

- `prediction` – what GPUs that nobody here has should give
"""
