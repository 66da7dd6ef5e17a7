"""What operating the line day after day costs and survives.

- `cost` – from the click to the first training step, and a training beside the bare job
- `writers` – Prefect's server on SQLite while many write: as it is, and as the stack starts it
- `collisions` – two schedules and a manual run of one model at once: who ran, who waited
- `nap` – a flow that does nothing for some seconds
- `crashes` – every part killed while a run prepares, trains and deploys: a command, as a table
- `trial` – one kill: what the UI said, what came back, what was lost
- `stack` – a stack of a home of its own, and the runs that its UI starts
- `prefect_server` – a Prefect server of its own
- `postgres` – a PostgreSQL server of its own
"""
