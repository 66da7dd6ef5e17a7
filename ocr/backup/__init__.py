"""A backup: one archive of many files, each with its digest, written and read as a stream.

- `tar` – members one after the other; of what a hostile archive may say, nothing is believed
- `head` – what an archive says of itself before all else
- `writing` – a whole archive or none: sizes first, digests last
- `reading` – all of it is checked before any of it is used
- `contents` – which objects of a store belong together, and in which order they are copied
- `objects` – from a store to an archive and back
"""
