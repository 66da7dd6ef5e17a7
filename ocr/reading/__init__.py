"""From pixels to text.

1. `page_reader` – a page to lines of text: found, put in order, cut out, read, parted. Start here.
2. `detection` – a page to boxes.
3. `reading_order` – the order in which a person reads boxes.
4. `recognition` – images of lines to text.
5. `legibility` – how surely lines read, which tells how their page lies.
6. `words` – where the words of a line stand.
7. `gaps` – lines that were found as one, parted.
8. `onnx_session` – models ready to run on the CPU.
9. `cores` – which processors they run on.
10. `annotation` – what was read, drawn over the page.
11. `baselines` – recognisers and page readers off the shelf, to be compared with.
"""
