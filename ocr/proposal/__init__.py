"""Labels that a model proposes for pages nobody has labelled, for a person to check.

1. `folder` – from image files to a folder that a labelling tool opens. Start here.
2. `reading` – the pages of files, read one by one.
3. `page` – a page and what a model read on it.
4. `shelf` – pages that were read, on disk until it is known which are chosen.
5. `usefulness` – which pages to check first.
6. `suggestion` – the list of the chosen ones, by which a later folder leaves them out.
"""
