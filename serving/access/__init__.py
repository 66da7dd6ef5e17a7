"""Who may ask the gateway, for what, and how often; and what is written down of it.

- `key_file` – the keys: made, kept by their digests, read anew when the file changes
- `callers` – from a request's bearer to who asks
- `allowance` – what a caller may take in a minute
- `access_log` – a line a request
"""
