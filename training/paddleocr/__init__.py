"""The second engine: a recogniser trained by PaddleOCR's own tools, each in a foreign process.

- `train` – the whole job: prepared, learnt, exported, validated
- `recogniser_config`, `overrides` – our parameters as PaddleOCR's YAML; nobody else speaks it
- `data`, `weights` – what its trainer reads
- `process`, `run_tools` – its tools in its own interpreter, watched from here
- `learning`, `said` – one training, and what its log says
- `kept` – what survives a kill
- `exporting`, `checkpoint` – what it leaves, and what the net takes
- `validation` – the exported net, read with as our reader does
- `export` – such a checkpoint to a bundle
"""
