"""The second engine: nets trained by PaddleOCR's own tools, each in a foreign process.

- `train`, `trainee` – the whole job: prepared, learnt, exported, validated; what nets differ in
- `recognition/`, `detection/` – the two kinds of net, side by side in files of the same names
- `config`, `overrides`, `shape` – our parameters as its YAML; nobody else speaks it
- `pretrained/` – what a training starts from
- `distillation` – what several nets that learn together are to all else: one, the student
- `tool/`, `foreign/` – its tools watched from here; what of ours runs beside them
- `rehearsal`, `measured` – what is asked before the first step; what compiling gains
- `runtime` – its tree and interpreter as the job finds them
- `learning`, `following` – one training, and a further machine of it
- `kept` – what survives a kill
- `exporting`, `checkpoint` – the forms that it leaves
"""
