"""Whether a full training starts.

- `smoke` – a short training of the same code and data, exported, must pass before it
"""
