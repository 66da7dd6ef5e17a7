"""Other servers' languages, so that clients written for them work unchanged.

- `asking` – reads an image or a document for any of them
- `paddle_serving` – `POST /NAME/prediction` of Paddle Serving's pipelines
- `pipeline_rpc` – the same over gRPC
- `paddlex` – `POST /ocr` of PaddleOCR 3 and PaddleX
- `kserve` – health and metadata of the Open Inference Protocol, version 2
"""
