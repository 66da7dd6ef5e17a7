"""What uvicorn leaves open of a connection, and of its own end.

- `server` – those beside it learn that it stops
- `connection` – what a client may send before there is a request, and how long it may take
- `plain_http` – what asks for another protocol, and what comes behind a body
- `whole_request` – what comes whole may be answered without a task
- `whole_head` – head and body of an answer leave at once
"""
