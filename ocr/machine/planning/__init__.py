"""What a training is going to take of a machine, said before it runs.

- `needs` – memory and time, as one like it took, or by a model
- `choice` – which kind of machine is enough
- `batch` – the largest batch that is worth it, by what several took
"""
