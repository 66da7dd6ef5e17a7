"""The gateway under load for a long time: does it answer all, rightly, and with the same memory?

- `minutes` – what each minute gave, and what the processes held at its end
- `verdict` – what of that is a fault
"""
