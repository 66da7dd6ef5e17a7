"""What a training needs, said before it runs.

- `templates` – kinds of machines, and which of them is enough
- `recommending` – what a project would need on each
- `find_batch` – how large a batch this machine takes
"""
