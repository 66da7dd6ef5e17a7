"""Keeping what was made.

- `backup` – `ocrline backup`: database, store and settings of this machine in one file
- `restore` – `ocrline restore`: and back
- `prune` – `ocrline prune`: what nobody needs any more
- `find_document` – `ocrline find-document`: where a document is kept
- `erase_document` – `ocrline erase-document`: removes it there
"""
