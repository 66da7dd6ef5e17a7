"""What runs in the training process or container: a job is trained, or exported to a bundle.

- `__main__` – the commands, and what exit code each error gives
- `job` – a job's folder: job.json in, result.json out
- `train`, `preflight`, `nodes`, `launch`, `meeting`, `rank` – one training: the machine looked at,
  alone or among others, the snapshot fetched, this process or several ranks, which meet, and what
  each does
- `loop/` – the training loop, which knows neither recognisers nor detectors
- `recognition/`, `detection/` – the two nets, side by side in files of the same names
- `start`, `ppocr_v6/` – the net at the first step, and what both take of PP-OCRv6 if not noise
- `paddleocr/` – the second engine: PaddleOCR's own tools, each in a foreign process
- `export/` – from a checkpoint to a bundle
- `forms/` – the forms of a net that a bundle holds, and the proof that they answer alike
- `environment` – what must be set before paddle is imported
- `alone`, `container` – one process per job, which ends with the task that started it, also where
  it runs in a container
- `stock_paddleocr` – reads with stock PaddleOCR, in a process of its own, for comparisons
"""
