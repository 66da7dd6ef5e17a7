"""Backup and restore of one machine: Prefect's database, the store, and what the home remembers.

- `database` – Prefect's database in a file: of SQLite or of PostgreSQL, while the server runs
- `settling.sql` – what a restored database is told: nothing runs any more
- `home` – which files of a home belong in a backup, and which of them are secret
- `backup` – all three into one archive
- `restore` – and back, checked first, into what is empty
"""
