"""A dataset as it is stored, of lines or of pages.

- `manifest`: what a snapshot holds, and the digest of every file
- `snapshot`: reading a local copy
- `held_out`: the test split, by its own digest
- `writer`: writing one; the same samples give the same bytes
- `part`: a part of one, as a snapshot of its own
- `sample_table`: its table, a part at a time
- `shards`: the images, in tar files
- `table`: reading the table, a part at a time
- `lookalikes`: characters that a person cannot tell apart
- `quarantine_list`: all rejected rows, of a snapshot or of a set that was refused
"""
