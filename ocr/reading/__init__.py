"""From pixels to text.

1. `page_reader` – a page to lines of text: found, put in order, cut out, read. Start here.
2. `detection` – a page to boxes.
3. `reading_order` – the order in which a person reads boxes.
4. `recognition` – images of lines to text.
5. `onnx_session` – models ready to run on the CPU.
6. `cores` – which processors they run on.
7. `annotation` – what was read, drawn over the page.
8. `baselines` – recognisers and page readers off the shelf, to be compared with.
"""
