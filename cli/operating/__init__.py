"""Commands of those who operate it day after day.

- `deployments` – what Prefect's UI offers and starts by itself: applied, compared, listed
"""
