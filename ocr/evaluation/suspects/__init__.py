"""Lines whose label is contradicted by what reads them; nothing here changes a label.

1. `finding` – reads labelled lines and lists the suspects, the most suspicious first: start here.
2. `suspect` – a labelled line, and what speaks against its label.
3. `crops` – the labelled lines of a snapshot, of lines or of pages.
4. `project` – a folder with a list, and with the pages as PPOCRLabel or Label Studio opens them.
"""
