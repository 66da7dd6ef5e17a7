"""What runs inside the serving process or container.

- `app` – the gateway put together, and its process; `python -m serving` starts it
- `settings`, `listening` – its parameters; whether it can have its ports
- `dialects/` – routes for clients of other servers
- `rest/` – our routes, from a request to its answer
- `access/` – who may ask
- `decoding/` – documents to pages, in processes that can be killed
- `workers/` – processes that read crops and pages
- `engines/` – what runs nets besides ONNX Runtime; `paddle_serving/` is what runs in its own Python
- `models/` – the versions in service, and how the champions are followed
- `web/` – the pages that a browser shows
- `problems` – what a client gets instead of an answer
- `metrics`, `log` – what is counted, and what is told
"""
