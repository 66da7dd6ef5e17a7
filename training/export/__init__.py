"""From a checkpoint to a bundle whose every form answers alike.

- `export` – the whole way, the manifest last
- `kinds` – the two kinds of export: how the checkpoint of each is loaded
- `golden_images` – the images of a snapshot on which the forms are compared
- `legacy` – the form for Paddle Serving, made in a process of its own
- `card` – the model card, and its templates
"""
