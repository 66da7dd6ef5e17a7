"""Pages to boxes, equal to stock PaddleOCR's DB detector to the last pixel.

1. `detector` – pages in, boxes out: start here.
2. `page_input` – a page to the input of the net.
3. `boxes` – the map that the net gives to boxes.
4. `kernel_map` – that map, to be asked what it shows at a place.
5. `agreement` – whether two forms of a detector find the same boxes.
"""
