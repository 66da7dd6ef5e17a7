"""Whole pages, with the place of every text.

In the order to read:
- `render`: the page of an index
- `words`: what pages say
- `sheet`: a page being laid out, pens, and the boxes of texts
- `stationery`: how one company's papers look
- `invoices`, `meters`: the kinds of pages
- `camera`: where a sheet lies in a picture
"""
