"""Labelled pages: read, checked, stored as snapshots, cut into the lines a recogniser learns.

- `region`: one text on a page
- `label`: all regions of a page, checked
- `labels/`: readers of label files
- `preparation`: from labelled and rendered pages to a snapshot
- `inspection`: what is looked for in a page
- `limits`: what is accepted
- `region_check`: which regions can be used, and what is wrong with the others
- `copies`: copies of a page; `rescans` tells of those that look another way
- `snapshot`: reading a snapshot of pages
- `labelled_pages`: one label file, read without a snapshot
- `crops`: from a snapshot of pages to one of their lines; `upright` turns pages as labels say
- `converters/`: from a snapshot back to label files
"""
