"""Lines and pages with text, painted and photographed; any number, each by its index alone.

In the order to read:
- `fonts`: the fonts of this machine, what each can draw, the choice of one, and their digest
- `ink`: layers of ink, what they look like on a ground, colours
- `glyphs`: characters drawn with a font: alone, in a row, to fill a cell
- `counters`: drums and displays, for lines and for pages
- `degrade`: what a camera does to lines and pages: blur, few pixels, light, noise, JPEG
- `lines`: text lines, from patterns or a corpus
- `pages`: invoices and meters
"""
