"""Images and documents as files and as pixels, whatever is on them.

- `pixels`: encoded bytes to BGR pixels and back
- `header`: what an encoded image says about itself before a pixel is decoded
- `pnm`: levels of a PPM in pixels, where Pillow is slow
- `bgr`: what Pillow opened, as BGR of 8 bits
- `folder`: image files within one root, outside of which nothing is read
- `document`: the pages of a PDF, a TIFF or an image, one at a time
- `pdf`: drawing a page of a PDF
- `rectangle`: the smallest rectangle round points
- `cropping`: a line cut out of a page and turned level
- `turning`: images turned by quarters, and points of them
- `perceptual_hash`: what an image looks like, in a few bits
"""
