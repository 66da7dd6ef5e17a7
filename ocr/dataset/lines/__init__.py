"""Lines of text: read, checked, stored as snapshots.

- `label`: the text of a line
- `labels/`: readers of label files
- `preparation`: from labelled and rendered lines to a snapshot
- `inspection`: what is looked for in a line
- `limits`: what is accepted
- `validation`: what an accepted text looks like
- `copies`: near-duplicates of a line
- `snapshot`: reading a snapshot of lines
- `labelled_lines`: one label file, read without a snapshot
"""
