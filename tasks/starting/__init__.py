"""Whether a full training starts.

- `new_data` – enough labelled rows are new: looked for, and said once
- `decided` – what the gate decided on, and what of it came to nothing
- `events` – how Prefect's server hears of it
- `turn` – no other run of this machine trains the same model
- `smoke` – a short training of the same code and data, exported, must pass before it
"""
