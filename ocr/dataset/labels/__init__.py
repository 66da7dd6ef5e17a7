"""What the readers of label files of lines and of pages share.

- `split_files`: the label files of the three splits, relative to one root
- `grouping`: what must stay in one split, by the path of its images
- `encoding`: their bytes to text, and what a text may stand for
- `json_items`: the items of a JSON document, one at a time
- `mmocr`: the items of MMOCR's documents
- `hidden`: characters that nobody sees in a text
- `text_rule`: how a text is written before anything else looks at it
"""
