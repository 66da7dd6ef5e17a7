"""Benchmarks beside a peer; each is a command that prints a table, in one run on one machine.

- `prepare`, `roots` – a preparation beside one process that only decodes; images in tar and LMDB
  files beside a folder of them
- `train` – a training beside a plain Paddle loop; `distributed` – either engine on several ranks
  beside one, and what is reckoned of machines that nobody here has
- `paddleocr`, `families/` – PaddleOCR's trainer beside a bare one; its recognisers in all forms
- `composition` – plates and meters trained with and without composed crops
- `reading` – lines read off the shelf and by recorded nets, with their texts, as a cascade
- `int8` – nets in 8 bits beside the same in float32
- `cascade` – lines read by a fast recogniser, the unsure ones again by an accurate one
- `annotate`, `teach` – checking the pages that `ocrline annotate` suggests beside checking any;
  fast nets taught unchecked by an accurate one beside the same on labels alone
- `serve/`, `operations/` – the gateway beside the bare models, the checkpoint and other servers,
  under load for a long time, and while something goes wrong; what operating costs and survives
- `pages`, `gaps` – pages read by ocrline, RapidOCR and Tesseract; lines parted at gaps or not
- `suspects`, `chains/` – how many labels, broken on purpose (`broken_labels`), a list of suspects
  finds; what many retrainings in a row on one test do to the gate
- `stock_lines`, `stock_pages` – the same models read by ocrline and by stock paddleocr
"""
