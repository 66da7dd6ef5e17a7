"""What concerns people.

- `approval` – whether one is asked before a candidate goes online
- `notifications` – who is told of what
"""
