"""What of a store may go, why all else stays, and how it goes.

- `things` – what lies in a store: snapshots, checkpoints, versions and so on, of one listing
- `lineage` – what the versions that stay were made of and judged by
- `plan` – what is old and named by none of them
- `removal` – removes it, so that nothing half is ever seen
"""
