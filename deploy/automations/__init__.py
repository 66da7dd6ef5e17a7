"""Automations of Prefect's server that every machine has; those of a project are its deployments'.

- `automation` – one of ours by its name, made or brought up to date
- `lost_runs` – ends runs whose process is gone
- `notices` – starts the flow `notify` where no process of ours is left to tell
"""
