"""Who may ask the gateway, for what, and how often.

- `key_file` – the keys: made, kept by their digests, read anew when the file changes
- `callers` – from a request's bearer to who asks
"""
