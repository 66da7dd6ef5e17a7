"""Where people are asked and told.

- `approvals` – what waits for a person, and the answer to it
- `notifications` – who is told of what
"""
