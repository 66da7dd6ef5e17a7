"""What the readers of label files of lines and of pages share.

- `split_files`: the label files of the three splits, relative to one root
- `encoding`: their bytes to text, and what a text may stand for
"""
