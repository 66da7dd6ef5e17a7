"""Labels of a model for pages nobody has labelled: for a person to check, or for another model.

1. `folder` – from image files to a folder that a labelling tool opens. Start here.
2. `unchecked` – from image files to labels that another model learns from as they are.
3. `reading` – the pages of files, read one by one.
4. `page` – a page and what a model read on it.
5. `images` – their images in the folder.
6. `shelf` – pages that were read, on disk until it is known which are chosen.
7. `usefulness` – which pages to check first.
8. `suggestion` – the list of the chosen ones, by which a later folder leaves them out.
"""
