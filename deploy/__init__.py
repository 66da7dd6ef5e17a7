"""Prefect deployments and the services of one machine."""
