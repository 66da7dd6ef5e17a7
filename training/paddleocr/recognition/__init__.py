"""Recognisers by PaddleOCR's trainer.

- `trainee` – what is written for the trainer, and what is made of what it leaves
- `config`, `preprocessing` – a recogniser's parameters as PaddleOCR's YAML; what its net sees
- `data` – a snapshot of lines as its trainer reads it
- `inspection`, `checkpoint` – what an exported net takes, and where that is written
- `validation` – the exported net, read with as our reader does
- `export` – such a checkpoint to a bundle
"""
