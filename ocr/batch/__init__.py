"""Many images and PDFs to one table of their lines: every file read once, and none lost.

1. `batch` – a source to the tables of its lines, its files and what could not be read. Start here.
2. `source` – what is to be read: a folder, a tar file or objects of a store.
3. `shard` – files that are read together, cut the same way every time, under a key of their own.
4. `reading` – one shard to its tables, in a process of its own.
5. `document` – one file to its pages, or to why it has none.
6. `tables` – the columns, and one table out of those of many shards.
"""
