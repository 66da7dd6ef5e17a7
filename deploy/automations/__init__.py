"""Automations of Prefect's server that every machine has; those of a project are its deployments'.

- `lost_runs` – ends runs whose process is gone
- `notices` – starts the flow `notify` where no process of ours is left to tell
"""
