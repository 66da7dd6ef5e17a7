"""The embedded detector, from labelled pages to a checkpoint that can be exported.

- `trainee` – the detector as the loop trains it
- `samples` – the labelled pages of a split in memory
- `shapes` – labelled regions as kernels, which the net learns to find
- `augment` – a view of one page, warped and disturbed
- `batches` – batches of views
- `start` – a training that starts from noise
- `net`, `ppocr_v6/`, `upsampling` – the two nets, a compact DB net and PP-OCRv6's small one
- `loss` – cross-entropy and dice
- `validation` – pages mapped, and the boxes of a rule compared with their regions
- `tuning` – the rule by which a map becomes boxes
- `checkpoint` – net and rule on disk
- `export` – how it is exported: pages in, boxes out
"""
