"""The routes: what comes in over HTTP, and what goes out.

- `http/` – what a client may do to a connection
- `edge` – around every request: its id, the token, counts, last errors; with `exchange`,
  and `origin`, which refuses what pages of other sites bring
- `refusals` – how a problem is written, by the path that was asked
- `head` – HEAD, answered as GET
- `inbox` – where bodies are received, within a `budget`
- `body` – a request's body, taken apart into files
- `capacity` – how many requests may be inside at once, and for how long
- `openapi` – what a route says of its request
- `documents/` – `POST /v1/ocr`
- `crops` – `POST /v1/recognize`, with `crop_request`; most of its requests take the `fast_path`
- `status` – models, health, metrics and documentation
"""
