"""The forms of a net that a bundle holds, and the proof that they answer alike.

- `exportable` – what the export takes: all in which a detector differs from a recogniser
- `trained_net` – the net of a checkpoint: it answers, and is written
- `static_graph` – a net as a graph on disk, which every form starts from
- `paddle` – the form that stock paddleocr loads
- `onnx`, `int8` – the form that the gateway serves unless told otherwise, and the same in 8 bits
- `serving_config` – the config of the form that Paddle Serving loads
- `predictor` – runs a form
- `parity` – compares a form with the checkpoint, image by image
"""
