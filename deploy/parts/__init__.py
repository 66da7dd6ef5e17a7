"""The parts of a local stack that are other people's programs, and what parts are told.

- `database` – where Prefect keeps runs: SQLite in the home, or PostgreSQL by address
- `server` – Prefect's server, `prefect_process` – its process, in which writers take turns
- `event_order` – what its automations wait for, after a restart too
- `minio` – a MinIO server under the home, as the store
- `release` – which code of ours a part is of
- `variables` – what our own are told, and which that run were told otherwise
"""
