"""The embedded recogniser, from labelled crops to a checkpoint that can be exported.

- `trainee` – the recogniser as the loop trains it
- `samples` – the labelled crops of a split in memory
- `plan` – which crops are drawn at which step
- `source` – a drawn crop, and where its characters are expected
- `augment` – one crop, warped and disturbed
- `batches` – batches of augmented crops
- `start` – what a training starts from: noise, or a net that reads already
- `net`, `ppocr_v6/` – the two nets: a compact one, and PP-OCRv6's small one
- `loss` – CTC, and early in a run a guide
- `validation` – crops read and compared with their texts
- `composing`, `composition/` – new crops made of the labelled ones
- `checkpoint`, `export`, `text_model` – the net on disk, how it is exported, what the texts add
"""
