"""What runs in a process of Paddle Serving, on Python 3.9: it imports nothing of ours.

- `service` – a pipeline of one net that answers at a socket file
"""
