"""The routes: what comes in over HTTP, and what goes out.

- `edge` – around every request: its id, the token, headers, counts, last errors
- `capacity` – how many requests may be inside at once
- `body` – a request's body, received within its limits and taken apart into files
- `openapi` – what a route says of its request
- `documents` – `POST /v1/ocr`, with `document_request` and `document_answer`
- `crops` – `POST /v1/recognize`, with `crop_request`
- `status` – models, health, metrics and documentation
"""
