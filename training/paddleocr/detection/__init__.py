"""Detectors by PaddleOCR's trainer, in files of the same names as the recogniser's.

- `trainee` – what is written for the trainer, and what is made of what it leaves
- `config` – a detector's parameters as PaddleOCR's YAML
- `data` – a snapshot of pages as its trainer reads it
- `inspection`, `checkpoint` – what an exported net takes, and where that is written
- `validation` – the exported net's rule tuned, and read with as our detector does
- `export` – such a checkpoint to a bundle
"""
