"""Many files to tables of their lines.

1. `read` – the task: finds what was read before, reads the rest, says what became of it.
2. `reader` – the version of the registry that reads, in each process.
3. `progress` – how far it is, in the terminal and in the Prefect UI.
"""
