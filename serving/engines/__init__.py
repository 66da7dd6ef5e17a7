"""What runs the nets of a bundle, besides ONNX Runtime.

- `net_readers` – a recogniser and a detector over any net, by its arrays
- `paddle_inference`, `paddle_programs` – a net in this process; what no program may do
- `paddle_serving` – a net in processes of Paddle Serving that are watched and replaced
- `pipeline_process`, `pipeline_messages` – one of them, and what it is told
"""
