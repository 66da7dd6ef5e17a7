"""From label files and images to an immutable snapshot; lines and pages are two kinds of one thing.

- `candidate`: a labelled image on its way; `collecting` puts it into the `candidate_table` on disk
- `quarantine`: rejected rows, each with one reason
- `roots/`: where label files and images are
- `labels/`: what the readers of all label files share
- `inputs`: what a preparation reads, before an image is opened
- `inspection`: rows to candidates and rejections; `examination` looks into their images
- `selection`: candidates `accepted` as samples: `duplicates` out, `split` set; lines of
  `documents/` may be equal
- `snapshot/`: the stored form: table, shards, manifest
- `preparation`: a snapshot is found by its inputs, or written and stored; the `row_list` of what it
  was made of
- `lines/`: what is peculiar to lines of text
- `pages/`: what is peculiar to pages
- `process_pool`: work over several processes; `spool`: encoded images on disk, while it is open
"""
