"""New crops composed from labelled ones of a fixed layout, by swapping characters.

- `composer` – draws composed crops; all that is known of the crops, kept in a file.
- `layout` – the crops of one text length, aligned and taken apart.
- `alignment` – brings them to a common frame.
- `cells` – where their characters stand in it, or why they are of no fixed layout.
- `matte` – a crop as paper, ink, and how much ink covers each pixel.
- `legibility` – whether the characters cut out look like their own kind.
- `painting` – other characters into a crop, in its own pose and colours.
- `vocabulary` – which character may stand where.
"""

from training.recognition.composition.composer import ComposedCrop, CropComposer

__all__ = ["ComposedCrop", "CropComposer"]
