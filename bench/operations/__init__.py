"""What operating the line day after day does, measured.

- `collisions` – two schedules and a manual run of one model at once: who ran, who waited
- `cost` – from the click to the first training step, and a training beside the bare job
- `nap` – a flow that does nothing for some seconds
"""
