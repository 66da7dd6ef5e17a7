"""Requests from a process of their own, each with its tag and its right answer.

1. `load` – what starts the process and keeps what came of each request. Start here.
2. `generator` – the process itself
3. `question` – one request, and which answer to it is right
4. `connection` – HTTP over one socket
"""
