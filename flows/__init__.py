"""Prefect flows: what is chained with what."""
